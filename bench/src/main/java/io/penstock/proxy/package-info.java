/** Benchmarks of the proxy's parts as the composition root wires them, in its package to reach them. */
@NullMarked
package io.penstock.proxy;

import org.jspecify.annotations.NullMarked;
