/** Tests of the policies. */
@NullMarked
package io.penstock.flow.policy;

import org.jspecify.annotations.NullMarked;
