package io.penstock.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Map;

/** A request that is sent many times: encoded once for HTTP/1.1, its header list built once for HTTP/2. Immutable; any thread. */
public final class LoadRequest {

    private static final String AUTHORITY = "bench";

    private final byte[] http1;
    private final Http2Headers http2;
    private final byte[] body;

    private LoadRequest(String path, Map<String, String> headers, byte[] body) {
        this.body = body;
        http1 = http1(path, headers, body);
        http2 = new DefaultHttp2Headers(false).method("POST").scheme("http").authority(AUTHORITY).path(path)
                .add("content-type", "application/json").add("content-length", Integer.toString(body.length));
        headers.forEach(http2::add);
    }

    /** A POST of this many bytes of JSON, 0 or more, with more headers in lower case. */
    public static LoadRequest post(String path, int bytes, Map<String, String> headers) {
        return new LoadRequest(path, Map.copyOf(headers), json(bytes));
    }

    /** A POST of this many bytes of JSON. */
    public static LoadRequest post(String path, int bytes) {
        return post(path, bytes, Map.of());
    }

    /** A completion's JSON of exactly this length; shorter than its frame of 25 bytes, only spaces. */
    public static byte[] json(int bytes) {
        byte[] head = "{\"model\":\"m\",\"prompt\":\"".getBytes(US_ASCII);
        byte[] body = new byte[bytes];
        if (bytes < head.length + 2) {
            Arrays.fill(body, (byte) ' ');
            return body;
        }
        Arrays.fill(body, (byte) 'x');
        System.arraycopy(head, 0, body, 0, head.length);
        body[bytes - 2] = '"';
        body[bytes - 1] = '}';
        return body;
    }

    byte[] http1() {
        return http1;
    }

    Http2Headers http2() {
        return http2;
    }

    byte[] body() {
        return body;
    }

    private static byte[] http1(String path, Map<String, String> headers, byte[] body) {
        StringBuilder head = new StringBuilder("POST ").append(path).append(" HTTP/1.1\r\nhost: ").append(AUTHORITY)
                .append("\r\ncontent-type: application/json\r\ncontent-length: ").append(body.length).append("\r\n");
        headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(head.append("\r\n").toString().getBytes(US_ASCII));
        out.writeBytes(body);
        return out.toByteArray();
    }
}
