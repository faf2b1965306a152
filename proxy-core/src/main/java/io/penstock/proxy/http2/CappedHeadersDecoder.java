package io.penstock.proxy.http2;

import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Headers;

/** Decodes header blocks into {@link CappedHeaders}. Used on one event loop. */
final class CappedHeadersDecoder extends DefaultHttp2HeadersDecoder {

    private final int maxFields;

    CappedHeadersDecoder(int maxListBytes, int maxFields) {
        super(true, maxListBytes);
        this.maxFields = maxFields;
    }

    @Override
    protected Http2Headers newHeaders() {
        return new CappedHeaders(numberOfHeadersGuess(), maxFields);
    }
}
