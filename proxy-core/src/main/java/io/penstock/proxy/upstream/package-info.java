/** Sockets towards the model servers: per-loop connection pools and the HTTP/1.1 client behind the exchange ports. */
@NullMarked
package io.penstock.proxy.upstream;

import org.jspecify.annotations.NullMarked;
