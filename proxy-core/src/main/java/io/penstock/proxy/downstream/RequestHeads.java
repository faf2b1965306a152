package io.penstock.proxy.downstream;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Brings a request head into the one form that the handlers know. Stateless. */
final class RequestHeads {

    private RequestHeads() {
    }

    /**
     * One {@code :authority} and no {@code host} (RFC 9113 section 8.3.1), one {@code cookie} (section 8.2.3).
     *
     * @return why the request is refused with 400, or null
     */
    static @Nullable String normalise(Http2Headers head) {
        String problem = authority(head);
        if (problem == null) {
            joinCookies(head);
        }
        return problem;
    }

    private static @Nullable String authority(Http2Headers head) {
        CharSequence authority = head.authority();
        if (head.contains(HttpHeaderNames.HOST)) {
            List<CharSequence> hosts = head.getAll(HttpHeaderNames.HOST);
            CharSequence host = hosts.get(0);
            if (hosts.size() > 1 || authority != null && !AsciiString.contentEqualsIgnoreCase(host, authority)) {
                return "The host header and the request's authority differ.";
            }
            head.remove(HttpHeaderNames.HOST);
            head.authority(host);
            authority = host;
        }
        return authority == null || authority.length() == 0 ? "The request names no host." : null;
    }

    private static void joinCookies(Http2Headers head) {
        if (!head.contains(HttpHeaderNames.COOKIE)) {
            return;
        }
        List<CharSequence> crumbs = head.getAll(HttpHeaderNames.COOKIE);
        if (crumbs.size() > 1) {
            head.set(HttpHeaderNames.COOKIE, String.join("; ", crumbs));
        }
    }
}
