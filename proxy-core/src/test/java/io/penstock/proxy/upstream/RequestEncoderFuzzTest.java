package io.penstock.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.codec.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Random requests, encoded and batched as an exchange does it, are read back by Netty's decoder as what they were, the one behind them
 * too; with one bad byte anywhere they are refused. {@code -Dpenstock.fuzz.requests=1000000} makes a million,
 * {@code -Dpenstock.fuzz.seed=N} only the one that a failure names.
 */
class RequestEncoderFuzzTest {

    private static final int REQUESTS = 5_000;
    private static final long FIRST_SEED = 20_261_130;
    private static final int PROGRESS = 100_000;
    private static final HttpDecoderConfig LIMITS = new HttpDecoderConfig().setMaxInitialLineLength(1 << 16).setMaxHeaderSize(1 << 18)
            .setMaxChunkSize(1 << 20);

    /** One for all requests, as on an event loop. */
    private final RequestEncoder encoder = new RequestEncoder();
    private int requests;
    private int chunked;
    private int bodies;

    @Test
    void nettyReadsBackWhatWasEncodedAndNothingElse() {
        Long one = Long.getLong("penstock.fuzz.seed");
        long first = one == null ? FIRST_SEED : one;
        int count = one == null ? Integer.getInteger("penstock.fuzz.requests", REQUESTS) : 1;
        for (long seed = first; seed < first + count; seed++) {
            try {
                readBack(new RequestMaker(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dpenstock.fuzz.seed=" + seed, e);
            }
            if (++requests % PROGRESS == 0) {
                System.out.println("requests " + requests);
            }
        }
        LeakPresenceDetector.check();
        if (count >= REQUESTS) {
            assertThat(chunked).isBetween(count / 5, count * 4 / 5);
            assertThat(bodies).isGreaterThan(count / 3);
        }
    }

    private void readBack(RequestMaker maker) {
        Http2Headers head = maker.make();
        long length = RequestEncoder.bodyLength(head, maker.last());
        assertThat(length).as("length").isEqualTo(maker.length());
        List<ByteBuf> written = write(head, length, maker);
        Reader reader = new Reader();
        EmbeddedChannel backend = new EmbeddedChannel(new HttpRequestDecoder(LIMITS), reader);
        for (ByteBuf piece : written) {
            // Each socket read of a backend ends somewhere.
            int cut = maker.upTo(piece.readableBytes());
            backend.writeInbound(piece.readRetainedSlice(cut), piece);
        }
        assertThat(reader.ended).as("requests that ended").isEqualTo(1);
        Http2Headers next = new RequestMaker(1).plain("/next");
        backend.writeInbound(encoder.encode(UnpooledByteBufAllocator.DEFAULT, next, 0, "next:1", 0));
        backend.finishAndReleaseAll();
        assertThat(reader.ended).as("requests").isEqualTo(2);
        assertThat(reader.requests.get(1).uri()).isEqualTo("/next");
        check(reader.requests.get(0), reader, maker);
        chunked += length == RequestEncoder.CHUNKED ? 1 : 0;
        bodies += maker.body().length > 0 ? 1 : 0;
    }

    private List<ByteBuf> write(Http2Headers head, long length, RequestMaker maker) {
        RequestBatch batch = new RequestBatch();
        EmbeddedChannel out = new EmbeddedChannel(new ChannelInboundHandlerAdapter() {
            @Override
            public void handlerAdded(ChannelHandlerContext context) {
                batch.start(context);
            }
        });
        int room = length > 0 && length <= RequestBatch.SMALL_BYTES ? (int) length : 0;
        batch.head(encoder.encode(out.alloc(), head, length, RequestMaker.DEFAULT_AUTHORITY, room));
        byte[] body = maker.body();
        for (int from = 0; from < body.length;) {
            int to = Math.min(body.length, from + 1 + maker.upTo(maker.chance(3) ? 20_000 : 500));
            ByteBuf part = Unpooled.copiedBuffer(body, from, to - from);
            if (length == RequestEncoder.CHUNKED) {
                batch.chunk(part);
            } else {
                batch.body(part);
            }
            if (maker.chance(4)) {
                batch.seal();
                out.flush();
            }
            from = to;
        }
        if (length == RequestEncoder.CHUNKED) {
            batch.lastChunk();
        }
        batch.seal();
        out.flush();
        List<ByteBuf> written = new ArrayList<>();
        for (ByteBuf piece = out.readOutbound(); piece != null; piece = out.readOutbound()) {
            written.add(piece);
        }
        out.finish();
        return written;
    }

    private static void check(HttpRequest request, Reader reader, RequestMaker maker) {
        assertThat(request.method().name()).isEqualTo(maker.method());
        assertThat(request.uri()).isEqualTo(maker.path());
        assertThat(request.protocolVersion().text()).isEqualTo("HTTP/1.1");
        List<String> fields = new ArrayList<>();
        for (Map.Entry<String, String> field : request.headers()) {
            fields.add(field.getKey() + ": " + field.getValue());
        }
        assertThat(fields).containsExactlyElementsOf(maker.expected());
        assertThat(reader.body).as("body").isEqualTo(new String(maker.body(), StandardCharsets.ISO_8859_1));
    }

    @Test
    void oneBadByteAnywhereIsRefusedBeforeABufferIsTaken() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, false);
        for (long seed = FIRST_SEED; seed < FIRST_SEED + REQUESTS; seed++) {
            RequestMaker maker = new RequestMaker(seed);
            Http2Headers head = maker.poisoned();
            assertThatThrownBy(() -> encoder.encode(allocator, head, RequestEncoder.CHUNKED, RequestMaker.DEFAULT_AUTHORITY, 0))
                    .as("-Dpenstock.fuzz.seed=%s, %s", seed, head).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected: ");
        }
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory()).isZero();
    }

    /** No character of a value may become a line end when it becomes a byte. */
    @Test
    void charactersThatAreNoBytesBecomeQuestionMarks() {
        for (int high = 1; high < 0x100; high++) {
            char c = (char) (high << 8 | "\r\n\0:".charAt(high & 3));
            Http2Headers head = new RequestMaker(1).plain("/").add("x", "a" + c + "b");
            ByteBuf out = encoder.encode(UnpooledByteBufAllocator.DEFAULT, head, 0, "h", 0);
            String text = out.toString(StandardCharsets.ISO_8859_1);
            out.release();
            if (!text.endsWith("\r\nx: a?b\r\n\r\n")) {
                throw new AssertionError(Integer.toHexString(c) + " was written as " + text);
            }
        }
    }

    /** Notes what the decoder says; the body is the first request's. */
    private static final class Reader extends ChannelInboundHandlerAdapter {

        private final List<HttpRequest> requests = new ArrayList<>();
        private String body = "";
        private int ended;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof HttpRequest request) {
                assertThat(request.decoderResult().isSuccess()).as("%s", request.decoderResult()).isTrue();
                requests.add(request);
            }
            if (message instanceof HttpContent content) {
                assertThat(content.decoderResult().isSuccess()).as("%s", content.decoderResult()).isTrue();
                body += content.content().toString(StandardCharsets.ISO_8859_1);
                content.release();
            }
            if (message instanceof LastHttpContent last) {
                assertThat(last.trailingHeaders()).isEmpty();
                ended++;
            }
        }
    }
}
