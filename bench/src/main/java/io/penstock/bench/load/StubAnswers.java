package io.penstock.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Every byte that the backend stub ever sends, encoded once. The buffers are lent as duplicates that need no release; {@link #release}
 * frees them when the stub is closed. Any thread may read.
 */
final class StubAnswers {

    /** One server-sent event as vLLM sends them, 151 bytes. */
    static final String EVENT = event();
    /** Events in one write when they go flat out: about what one read of a proxy takes from a busy engine. */
    static final int BATCH = 16;

    private static final String COMPLETION = "{\"id\":\"cmpl-474d9dfa\",\"object\":\"text_completion\",\"choices\":[{\"index\":0,"
            + "\"finish_reason\":\"stop\",\"text\":\"one two three\"}]}";
    private static final String METRICS = """
            vllm:num_requests_running{model_name="m"} 0.0
            vllm:num_requests_waiting{model_name="m"} 0.0
            vllm:kv_cache_usage_perc{model_name="m"} 0.0
            """;
    /** RFC 7541 appendix A: ":status: 200" is entry 8. */
    private static final int STATUS_200 = 0x88;
    private static final int CONTENT_LENGTH = 28;
    private static final int CONTENT_TYPE = 31;

    private final ByteBuf http1Completion = fixed("application/json", COMPLETION);
    private final ByteBuf http1Metrics = fixed("text/plain; version=0.0.4", METRICS);
    private final ByteBuf http1Stream = ascii("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    private final ByteBuf http1Event = ascii(chunk());
    private final ByteBuf http1Batch = ascii(chunk().repeat(BATCH));
    private final ByteBuf http1End = ascii("0\r\n\r\n");
    private final ByteBuf http2Completion = block("application/json", COMPLETION.length());
    private final ByteBuf http2Metrics = block("text/plain; version=0.0.4", METRICS.length());
    private final ByteBuf http2Stream = block("text/event-stream", -1);
    private final ByteBuf completion = ascii(COMPLETION);
    private final ByteBuf metrics = ascii(METRICS);
    private final ByteBuf event = ascii(EVENT);

    /** A whole HTTP/1.1 message with a content-length. */
    ByteBuf http1(StubRequest.Kind kind) {
        return lent(kind == StubRequest.Kind.METRICS ? http1Metrics : http1Completion);
    }

    ByteBuf http1StreamHead() {
        return lent(http1Stream);
    }

    /** {@code count} events as HTTP/1.1 chunks, each its own chunk; 1 or {@link #BATCH}. */
    ByteBuf http1Events(int count) {
        return lent(count == BATCH ? http1Batch : http1Event);
    }

    ByteBuf http1End() {
        return lent(http1End);
    }

    /** The header block of an HTTP/2 answer. */
    ByteBuf http2Head(StubRequest.Kind kind) {
        return lent(switch (kind) {
            case STREAM -> http2Stream;
            case METRICS -> http2Metrics;
            case COMPLETION -> http2Completion;
        });
    }

    /** The payload of one DATA frame: a whole body, or one event. */
    ByteBuf http2Body(StubRequest.Kind kind) {
        return lent(switch (kind) {
            case STREAM -> event;
            case METRICS -> metrics;
            case COMPLETION -> completion;
        });
    }

    void release() {
        for (ByteBuf buffer : new ByteBuf[] {http1Completion, http1Metrics, http1Stream, http1Event, http1Batch, http1End, http2Completion,
            http2Metrics, http2Stream, completion, metrics, event}) {
            buffer.unwrap().release();
        }
    }

    private static ByteBuf lent(ByteBuf buffer) {
        return buffer.duplicate();
    }

    private static ByteBuf fixed(String type, String body) {
        return ascii("HTTP/1.1 200 OK\r\ncontent-type: " + type + "\r\ncontent-length: " + body.length() + "\r\n\r\n" + body);
    }

    private static String chunk() {
        return Integer.toHexString(EVENT.length()) + "\r\n" + EVENT + "\r\n";
    }

    /** Literals without indexing (RFC 7541 section 6.2.2): whoever decodes them needs no dynamic table. */
    private static ByteBuf block(String type, int length) {
        ByteBuf out = Unpooled.directBuffer();
        out.writeByte(STATUS_200);
        literal(out, CONTENT_TYPE, type);
        if (length >= 0) {
            literal(out, CONTENT_LENGTH, Integer.toString(length));
        }
        return Unpooled.unreleasableBuffer(out);
    }

    /** {@code name} is an index of 15 or more and below 142: four bits of it, then the rest in one byte. */
    static void literal(ByteBuf out, int name, String value) {
        out.writeByte(0x0f);
        out.writeByte(name - 15);
        out.writeByte(value.length());
        out.writeCharSequence(value, US_ASCII);
    }

    private static ByteBuf ascii(String text) {
        return Unpooled.unreleasableBuffer(Unpooled.directBuffer(text.length()).writeBytes(text.getBytes(US_ASCII)));
    }

    private static String event() {
        return "data: {\"id\":\"chatcmpl-f4b435f6\",\"object\":\"chat.completion.chunk\",\"created\":1796032610,\"model\":\"m\","
                + "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one \"}}]}\n\n";
    }
}
