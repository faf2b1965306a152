package io.penstock.proxy.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.util.AsciiString;
import java.util.List;

/**
 * Netty's response decoder, told by the connection whether a response is due and whether it can have a body, and stricter where leniency
 * lets two readers see different messages (RFC 9112 sections 2.2, 5.1 and 6; spec/edge.md E1 and E9). Event loop only.
 */
final class ResponseDecoder extends HttpResponseDecoder {

    /** Of one response, trailers included. Bytes and fields as Envoy's defaults (spec/edge.md section 1.6). */
    static final int MAX_HEADER_BYTES = 60 << 10;
    static final int MAX_HEADERS = 100;

    private static final int MAX_LINE_BYTES = 8 << 10;
    /** Larger than any read, so that a read's bytes go on as one slice. */
    private static final int MAX_SLICE_BYTES = 1 << 20;
    private static final int STATUS_DIGITS = 3;

    private final Http1Connection connection;

    ResponseDecoder(Http1Connection connection) {
        super(new HttpDecoderConfig().setMaxInitialLineLength(MAX_LINE_BYTES).setMaxHeaderSize(MAX_HEADER_BYTES)
                .setMaxChunkSize(MAX_SLICE_BYTES).setAllowDuplicateContentLengths(true));
        this.connection = connection;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (!connection.responseBytes()) {
            in.skipBytes(in.readableBytes());
            connection.strayBytes();
            return;
        }
        super.decode(context, in, out);
    }

    @Override
    protected HttpMessage createMessage(String[] line) {
        if (!"HTTP/1.1".equals(line[0]) && !"HTTP/1.0".equals(line[0])) {
            throw new IllegalArgumentException("version (expected: HTTP/1.1 or HTTP/1.0)");
        }
        String status = line[1];
        if (status.length() != STATUS_DIGITS || status.charAt(0) < '1' || status.charAt(0) > '5') {
            throw new IllegalArgumentException("status (expected: 100..599)");
        }
        return super.createMessage(line);
    }

    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        if (line[start + length] != ':') {
            // Netty skips what stands between the name and the colon: "transfer-encoding x: chunked" would pass.
            throw new IllegalArgumentException("white space in a header name");
        }
        return super.splitHeaderName(line, start, length);
    }

    /** Called once a head is complete, before the decoder decides on the framing. */
    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        checkFraming(message.headers());
        return connection.answersHead() || super.isContentAlwaysEmpty(message);
    }

    private static void checkFraming(HttpHeaders headers) {
        if (headers.size() > MAX_HEADERS) {
            throw new IllegalArgumentException("header fields: " + headers.size() + " (expected: at most " + MAX_HEADERS + ')');
        }
        List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (codings.isEmpty()) {
            return;
        }
        if (codings.size() > 1 || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.get(0))) {
            // The field does not cross the proxy, so a body with another coding would arrive undeclared.
            throw new IllegalArgumentException("transfer-encoding (expected: chunked alone)");
        }
        if (headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
            throw new IllegalArgumentException("content-length beside transfer-encoding");
        }
    }
}
