/** The experiment's own rules, without a clock; and dispatchers before a running product. */
@NullMarked
package io.penstock.bench.headroom;

import org.jspecify.annotations.NullMarked;
