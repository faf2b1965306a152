package io.penstock.proxy.testkit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * One response as a raw client saw it. Immutable but for its array.
 *
 * @param informational 1xx heads in order
 * @param headers the final head with {@code :status}; empty when the stream was reset before it
 * @param body all DATA without padding
 * @param trailers empty without any
 * @param resetCode code of the RST_STREAM that ended it, or -1 after a regular end
 */
public record Http2Response(List<List<Header>> informational, List<Header> headers, byte[] body, List<Header> trailers, long resetCode) {

    /** The final status, or 0 when there was none. */
    public int status() {
        return header(":status").map(Integer::parseInt).orElse(0);
    }

    public Optional<String> header(String name) {
        return Header.first(headers, name);
    }

    /** Every value of a name in the final head. */
    public List<String> all(String name) {
        return Header.all(headers, name);
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** Whether the response ended with END_STREAM. */
    public boolean complete() {
        return resetCode < 0;
    }
}
