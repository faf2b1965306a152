/** Edge hardening of the HTTP codecs: what Netty lets through and a public port must not (spec/edge section 3). */
@NullMarked
package io.penstock.proxy.codec;

import org.jspecify.annotations.NullMarked;
