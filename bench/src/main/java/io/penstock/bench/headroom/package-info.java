/** A dispatcher that sizes its window from the proxy's answers, and the experiment that says what the headroom header is worth. */
@NullMarked
package io.penstock.bench.headroom;

import org.jspecify.annotations.NullMarked;
