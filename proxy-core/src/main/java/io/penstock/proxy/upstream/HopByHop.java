package io.penstock.proxy.upstream;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.AsciiString;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which header names belong to one connection and never cross the proxy (RFC 9110 section 7.6.1, RFC 9113 section 8.2.2). Immutable. */
final class HopByHop {

    /** The fixed ones, in lower case. */
    static final Set<AsciiString> NAMES = Set.of(HttpHeaderNames.CONNECTION, AsciiString.cached("keep-alive"),
            AsciiString.cached("proxy-connection"), HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderNames.UPGRADE, HttpHeaderNames.TRAILER,
            HttpHeaderNames.TE, AsciiString.cached("http2-settings"));

    private HopByHop() {
    }

    /** The further names that the values of {@code connection} list, in lower case. */
    static Set<AsciiString> listed(List<? extends CharSequence> connectionValues) {
        if (connectionValues.isEmpty()) {
            return Set.of();
        }
        Set<AsciiString> listed = new HashSet<>();
        for (CharSequence value : connectionValues) {
            for (AsciiString token : AsciiString.of(value).split(',')) {
                listed.add(token.trim().toLowerCase());
            }
        }
        return listed;
    }
}
