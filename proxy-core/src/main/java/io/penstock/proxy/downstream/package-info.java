/**
 * The client side: listening sockets, TLS, the choice of protocol, and one exchange per request for HTTP/2 and HTTP/1.1 alike. A
 * connection and all that belongs to it stay on one event loop.
 */
@NullMarked
package io.penstock.proxy.downstream;

import org.jspecify.annotations.NullMarked;
