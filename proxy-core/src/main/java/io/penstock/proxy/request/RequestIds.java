package io.penstock.proxy.request;

import io.netty.handler.codec.http2.Http2Headers;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A request's {@code x-request-id}: the client's own where it sends a usable one, else a random UUID. Any thread. */
public final class RequestIds {

    private static final int MAX_LENGTH = 256;

    private RequestIds() {
    }

    /** The id, which the head carries from now on exactly once. */
    public static String of(Http2Headers head) {
        String id = of(head.get(HeaderNames.REQUEST_ID));
        head.set(HeaderNames.REQUEST_ID, id);
        return id;
    }

    /** The id for what a client gave, which may be nothing. */
    public static String of(@Nullable CharSequence given) {
        return given == null || given.isEmpty() || given.length() > MAX_LENGTH ? random() : given.toString();
    }

    /** Version 4, variant 2. Not a secret, so the thread's own generator is good enough. */
    public static String random() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = random.nextLong() & ~0xF000L | 0x4000L;
        long low = random.nextLong() >>> 2 | 1L << 63;
        return new UUID(high, low).toString();
    }
}
