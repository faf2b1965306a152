/** Benchmarks of single handlers, in their package to reach them. */
@NullMarked
package io.penstock.proxy.handler;

import org.jspecify.annotations.NullMarked;
