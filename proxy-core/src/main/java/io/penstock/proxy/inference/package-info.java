/** What the proxy reads of an inference request's body. No Netty channels. */
@NullMarked
package io.penstock.proxy.inference;

import org.jspecify.annotations.NullMarked;
