package io.penstock.proxy.http2;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Headers that stop storing above a number of fields, so that a compressed block of many tiny fields (cookie crumbs above all) costs no
 * memory (CVE-2026-47774). Pseudo headers do not count. Used on one event loop.
 */
public final class CappedHeaders extends DefaultHttp2Headers {

    private static final int PSEUDO = 4;

    private final int max;
    private int added;
    private boolean complete;

    CappedHeaders(boolean validate, int sizeHint, int maxFields) {
        super(validate, validate, sizeHint);
        max = maxFields + PSEUDO;
    }

    /** Ends the counting, so that the proxy may add fields of its own; true when the peer sent more fields than allowed. */
    public boolean completeOverflowed() {
        complete = true;
        return added > max;
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        if (!complete && ++added > max) {
            return this;
        }
        return super.add(name, value);
    }
}
