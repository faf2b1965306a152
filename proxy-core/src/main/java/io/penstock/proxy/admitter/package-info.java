/** What may still turn an admitted request away, before it is forwarded (spec/flow-control section 8). */
@NullMarked
package io.penstock.proxy.admitter;

import org.jspecify.annotations.NullMarked;
