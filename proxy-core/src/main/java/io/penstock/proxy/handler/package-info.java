/** A request's chain of handlers, in the order of {@link io.penstock.proxy.handler.RequestChain}. They know exchanges, never channels. */
@NullMarked
package io.penstock.proxy.handler;

import org.jspecify.annotations.NullMarked;
