/** Tests of the HTTP/1.1 client against raw sockets. */
@NullMarked
package io.penstock.proxy.upstream;

import org.jspecify.annotations.NullMarked;
