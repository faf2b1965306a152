/** What both sides of the proxy need of Netty: the transport and the flush once per event-loop turn. */
@NullMarked
package io.penstock.proxy.net;

import org.jspecify.annotations.NullMarked;
