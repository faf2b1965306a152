package io.penstock.proxy.testkit;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * HPACK for one connection's raw client. Blocks are written as literals without indexing (RFC 7541 section 6.2.2), so that names, order and
 * repetitions go out as a test wrote them; blocks are read with Netty's decoder, unvalidated. One thread.
 */
final class HeaderBlock {

    private static final int LITERAL = 0x00;
    private static final int LENGTH_PREFIX = 0x7f;

    private final Http2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, 1 << 20);

    static byte[] encode(List<Header> headers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Header header : headers) {
            out.write(LITERAL);
            string(out, header.name());
            string(out, header.value());
        }
        return out.toByteArray();
    }

    private static void string(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        int rest = bytes.length - LENGTH_PREFIX;
        if (rest < 0) {
            out.write(bytes.length);
        } else {
            out.write(LENGTH_PREFIX);
            for (; rest >= 0x80; rest >>>= 7) {
                out.write(rest & 0x7f | 0x80);
            }
            out.write(rest);
        }
        out.writeBytes(bytes);
    }

    List<Header> decode(int stream, byte[] block) {
        try {
            Http2Headers decoded = decoder.decodeHeaders(stream, Unpooled.wrappedBuffer(block));
            List<Header> headers = new ArrayList<>();
            for (Map.Entry<CharSequence, CharSequence> entry : decoded) {
                headers.add(new Header(entry.getKey().toString(), entry.getValue().toString()));
            }
            return headers;
        } catch (Http2Exception e) {
            throw new AssertionError("the server sent a broken header block on stream " + stream, e);
        }
    }
}
