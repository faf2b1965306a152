package io.penstock.proxy.testkit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * One HTTP/1.1 response. Immutable but for its array.
 *
 * @param informational 1xx heads before it
 * @param head the final head
 * @param body without its framing
 * @param trailers after a chunked body
 * @param complete false when the connection ended in the middle of the body
 */
public record Http1Response(List<Head> informational, Head head, byte[] body, List<Header> trailers, boolean complete) {

    /**
     * A status line and header fields as they came in.
     *
     * @param statusLine without its line end
     * @param headers in their order and case
     */
    public record Head(String statusLine, List<Header> headers) {

        public int status() {
            return Integer.parseInt(statusLine.split(" ", 3)[1]);
        }

        public Optional<String> header(String name) {
            return Header.first(headers, name);
        }
    }

    public int status() {
        return head.status();
    }

    public Optional<String> header(String name) {
        return head.header(name);
    }

    /** Every value of a name. */
    public List<String> all(String name) {
        return Header.all(head.headers(), name);
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
