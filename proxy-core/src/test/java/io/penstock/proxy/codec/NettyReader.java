package io.penstock.proxy.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import io.penstock.proxy.codec.Transcript.End;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads one response with Netty's decoder and the rules that stood beside it before the parser was our own: what the parser is measured
 * against.
 */
final class NettyReader extends ChannelInboundHandlerAdapter {

    private static final Set<String> HOP_BY_HOP = Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
            "trailer", "te", "http2-settings");

    private final boolean toHead;
    private final Transcript told = new Transcript();
    private boolean over;
    private boolean stray;
    private int informational;
    private boolean inInformational;

    private NettyReader(boolean toHead) {
        this.toHead = toHead;
    }

    static Transcript read(byte[] response, boolean toHead) {
        NettyReader reader = new NettyReader(toHead);
        EmbeddedChannel channel = new EmbeddedChannel(reader.new Decoder(), reader);
        channel.writeInbound(Unpooled.wrappedBuffer(response));
        channel.finishAndReleaseAll();
        reader.told.reusable &= reader.told.end == End.COMPLETE && !reader.stray;
        return reader.told;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Throwable failure = ((HttpObject) message).decoderResult().cause();
        if (over) {
            ReferenceCountUtil.release(message);
        } else if (failure != null) {
            ReferenceCountUtil.release(message);
            over = true;
            told.end = failure instanceof PrematureChannelClosureException ? End.CUT : End.MALFORMED;
        } else if (message instanceof HttpResponse response) {
            head(response);
        } else {
            content((HttpContent) message);
        }
    }

    private void head(HttpResponse response) {
        int code = response.status().code();
        if (code < 200) {
            if (code == 101 || ++informational > 10) {
                over = true;
                told.end = End.MALFORMED;
            } else {
                inInformational = true;
                told.heads.add("1xx " + Transcript.text(converted(response)));
            }
            return;
        }
        boolean chunked = response.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
        String length = response.headers().get(HttpHeaderNames.CONTENT_LENGTH);
        boolean bodiless = toHead || code == 204 || code == 304 || !chunked && length != null && Long.parseLong(length) == 0;
        boolean untilClose = !bodiless && !chunked && length == null;
        told.reusable = !untilClose && response.protocolVersion() == HttpVersion.HTTP_1_1 && HttpUtil.isKeepAlive(response);
        told.heads.add(Transcript.text(converted(response)));
    }

    private void content(HttpContent content) {
        told.body(content.content());
        if (content instanceof LastHttpContent last) {
            if (inInformational) {
                inInformational = false;
                return;
            }
            over = true;
            if (last.trailingHeaders().size() > 100) {
                told.end = End.MALFORMED;
                return;
            }
            Http2Headers trailers = new DefaultHttp2Headers(false);
            copy(last.trailingHeaders(), trailers);
            if (!trailers.isEmpty()) {
                told.heads.add("trailers " + Transcript.text(trailers));
            }
            told.end = End.COMPLETE;
        }
    }

    private static Http2Headers converted(HttpResponse response) {
        Http2Headers to = new DefaultHttp2Headers(false).status(response.status().codeAsText());
        copy(response.headers(), to);
        if (response.status().code() < 200 || response.status().code() == 204) {
            to.remove(HttpHeaderNames.CONTENT_LENGTH);
        }
        return to;
    }

    private static void copy(HttpHeaders from, Http2Headers to) {
        Set<String> left = new HashSet<>(HOP_BY_HOP);
        for (String value : from.getAll(HttpHeaderNames.CONNECTION)) {
            for (String token : value.split(",", -1)) {
                // Not by AsciiString, for which every byte from 0x80 up is blank.
                left.add(token.strip().toLowerCase(Locale.ROOT));
            }
        }
        Iterator<Map.Entry<CharSequence, CharSequence>> fields = from.iteratorCharSequence();
        while (fields.hasNext()) {
            Map.Entry<CharSequence, CharSequence> field = fields.next();
            AsciiString name = AsciiString.of(field.getKey()).toLowerCase();
            if (!left.contains(name.toString())) {
                to.add(name, field.getValue());
            }
        }
    }

    /** Netty's decoder with the stricter rules that the proxy had added to it. */
    private final class Decoder extends HttpResponseDecoder {

        Decoder() {
            super(new HttpDecoderConfig().setMaxInitialLineLength(8 << 10).setMaxHeaderSize(60 << 10).setMaxChunkSize(1 << 20)
                    .setAllowDuplicateContentLengths(true));
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
            if (over) {
                stray = true;
                in.skipBytes(in.readableBytes());
                return;
            }
            super.decode(context, in, out);
        }

        @Override
        protected HttpMessage createMessage(String[] line) {
            if (!"HTTP/1.1".equals(line[0]) && !"HTTP/1.0".equals(line[0])) {
                throw new IllegalArgumentException("version");
            }
            String status = line[1];
            if (status.length() != 3 || status.charAt(0) < '1' || status.charAt(0) > '5') {
                throw new IllegalArgumentException("status");
            }
            return super.createMessage(line);
        }

        @Override
        protected AsciiString splitHeaderName(byte[] line, int start, int length) {
            if (line[start + length] != ':') {
                throw new IllegalArgumentException("white space in a header name");
            }
            return super.splitHeaderName(line, start, length);
        }

        @Override
        protected boolean isContentAlwaysEmpty(HttpMessage message) {
            checkFraming(message.headers());
            return toHead || super.isContentAlwaysEmpty(message);
        }

        private void checkFraming(HttpHeaders headers) {
            List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
            if (headers.size() > 100 || codings.size() > 1
                    || codings.size() == 1 && !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.get(0))
                    || codings.size() == 1 && headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
                throw new IllegalArgumentException("framing");
            }
        }
    }
}
