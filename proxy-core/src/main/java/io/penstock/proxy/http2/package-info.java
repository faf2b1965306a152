/**
 * HTTP/2 framing for both ends of a connection: frames, header blocks, streams, flow control, and the bounds that keep a peer from
 * costing more than it pays (RFC 9113, spec/edge section 3). It knows neither clients nor backends: whoever owns a connection hears of it
 * through {@link io.penstock.proxy.http2.SessionListener}.
 */
@NullMarked
package io.penstock.proxy.http2;

import org.jspecify.annotations.NullMarked;
