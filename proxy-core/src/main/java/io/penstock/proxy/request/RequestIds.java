package io.penstock.proxy.request;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A request's {@code x-request-id}: the client's own where it sends a usable one, else a random UUID. Any thread. */
public final class RequestIds {

    private static final int MAX_LENGTH = 256;
    private static final int UUID_LENGTH = 36;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private RequestIds() {
    }

    /** The id, which the head carries from now on exactly once. */
    public static AsciiString of(Http2Headers head) {
        AsciiString id = of(head.get(HeaderNames.REQUEST_ID));
        head.set(HeaderNames.REQUEST_ID, id);
        return id;
    }

    /** A field whose value no second message has would only push others out of HPACK's table (RFC 7541 section 6.2.3). */
    public static boolean neverIndexed(CharSequence name, CharSequence value) {
        return HeaderNames.REQUEST_ID.contentEquals(name);
    }

    /** The id for what a client gave, which may be nothing. */
    public static AsciiString of(@Nullable CharSequence given) {
        return given == null || given.isEmpty() || given.length() > MAX_LENGTH ? random() : AsciiString.of(given);
    }

    /** Version 4, variant 2. Not a secret, so the thread's own generator is good enough. */
    public static AsciiString random() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = random.nextLong() & ~0xF000L | 0x4000L;
        long low = random.nextLong() >>> 2 | 1L << 63;
        byte[] text = new byte[UUID_LENGTH];
        put(text, 0, 8, high >>> 32);
        put(text, 9, 4, high >>> 16);
        put(text, 14, 4, high);
        put(text, 19, 4, low >>> 48);
        put(text, 24, 12, low);
        text[8] = text[13] = text[18] = text[23] = '-';
        return new AsciiString(text, false);
    }

    /** The lowest digits of a number, written as bytes since both codecs write bytes. */
    private static void put(byte[] text, int from, int digits, long number) {
        long rest = number;
        for (int i = from + digits - 1; i >= from; i--) {
            text[i] = HEX[(int) rest & 0xf];
            rest >>>= 4;
        }
    }
}
