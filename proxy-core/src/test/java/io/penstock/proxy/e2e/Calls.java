package io.penstock.proxy.e2e;

import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The requests that the end-to-end tests make, so that each test shows only what is special about its own. No state. */
final class Calls {

    static final String HEADROOM = "x-llm-d-flow-band-headroom-requests";
    static final String REASON = "x-llm-d-request-dropped-reason";

    private static final byte[] SMALL = "{}".getBytes(StandardCharsets.US_ASCII);

    private Calls() {
    }

    /** The head of an HTTP/2 request, with further names and values. */
    static String[] head(String method, String... more) {
        List<String> all = new ArrayList<>(List.of(":method", method, ":scheme", "http", ":authority", "a.test", ":path", "/v1/x"));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** Sends a POST with a body of two bytes; returns its stream. */
    static int post(Http2RawClient client, String... more) {
        List<String> all = new ArrayList<>(List.of("content-length", "2"));
        all.addAll(List.of(more));
        return client.request(SMALL, head("POST", all.toArray(String[]::new)));
    }

    /** Sends a POST with a body of two bytes and further header lines. */
    static void post(Http1RawClient client, String... headerLines) {
        client.send(http1("POST", 2, headerLines) + "{}");
    }

    /** An HTTP/1.1 head with its empty line; no content-length below zero. */
    static String http1(String method, int contentLength, String... headerLines) {
        StringBuilder head = new StringBuilder(method).append(" /v1/x HTTP/1.1\r\nHost: a.test\r\n");
        if (contentLength >= 0) {
            head.append("Content-Length: ").append(contentLength).append("\r\n");
        }
        for (String line : headerLines) {
            head.append(line).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    /** Waits for a DATA frame with exactly that text. */
    static void awaitData(Http2RawClient client, int stream, String text) {
        client.await(text, frame -> frame.is(Http2Frame.DATA, stream) && text.equals(text(frame.content())));
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
