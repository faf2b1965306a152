/** Edge hardening of HTTP/1.1: what Netty's codec lets through and a public port must not (spec/edge section 3). */
@NullMarked
package io.penstock.proxy.codec;

import org.jspecify.annotations.NullMarked;
