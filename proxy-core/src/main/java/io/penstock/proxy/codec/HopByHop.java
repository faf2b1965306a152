package io.penstock.proxy.codec;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.AsciiString;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which header names belong to one connection and never cross the proxy (RFC 9110 section 7.6.1, RFC 9113 section 8.2.2). Stateless. */
public final class HopByHop {

    private static final AsciiString KEEP_ALIVE = AsciiString.cached("keep-alive");
    private static final AsciiString PROXY_CONNECTION = AsciiString.cached("proxy-connection");
    private static final AsciiString HTTP2_SETTINGS = AsciiString.cached("http2-settings");

    private HopByHop() {
    }

    /** Whether the name, in any case, is one of the fixed ones. */
    public static boolean contains(CharSequence name) {
        return switch (name.length()) {
            case 2 -> HttpHeaderNames.TE.contentEqualsIgnoreCase(name);
            case 7 -> HttpHeaderNames.UPGRADE.contentEqualsIgnoreCase(name) || HttpHeaderNames.TRAILER.contentEqualsIgnoreCase(name);
            case 10 -> HttpHeaderNames.CONNECTION.contentEqualsIgnoreCase(name) || KEEP_ALIVE.contentEqualsIgnoreCase(name);
            case 14 -> HTTP2_SETTINGS.contentEqualsIgnoreCase(name);
            case 16 -> PROXY_CONNECTION.contentEqualsIgnoreCase(name);
            case 17 -> HttpHeaderNames.TRANSFER_ENCODING.contentEqualsIgnoreCase(name);
            default -> false;
        };
    }

    /** The further names that the values of {@code connection} list, in lower case. */
    public static Set<AsciiString> listed(List<? extends CharSequence> connectionValues) {
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
