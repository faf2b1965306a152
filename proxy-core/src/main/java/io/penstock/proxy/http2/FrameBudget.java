package io.penstock.proxy.http2;

import io.netty.handler.codec.http2.Http2Exception;
import java.util.function.LongSupplier;

/**
 * Bounds the frames that cost a server work and a peer nothing (spec/edge section 3, C1 to C7). Used on one event loop.
 */
final class FrameBudget {

    /** DATA frames with fewer bytes than this are tiny. */
    static final int TINY = 256;
    /** SETTINGS entries in one frame. */
    static final int MAX_SETTINGS = 32;

    private final TokenBucket pings;
    private final TokenBucket settings;
    private final TokenBucket unknown;
    private final TokenBucket tinyData;
    private long opened;
    private long dataFramesSent;
    private long priorities;
    private long windowUpdates;
    private long serverResets;
    private boolean lastDataEmpty;

    FrameBudget(long now) {
        pings = new TokenBucket(20, 100, now);
        settings = new TokenBucket(10, 20, now);
        unknown = new TokenBucket(1_000, 1_000, now);
        tinyData = new TokenBucket(1_000, 25_600, now);
    }

    void streamOpened() {
        opened++;
    }

    long opened() {
        return opened;
    }

    void dataSent(int frames) {
        dataFramesSent += frames;
    }

    void ping(long now) throws Http2Exception {
        check(pings.take(now), Abuse.PING_FLOOD);
    }

    void settings(long now) throws Http2Exception {
        check(settings.take(now), Abuse.SETTINGS_FLOOD);
    }

    void settingsEntries(int entries) throws Http2Exception {
        check(entries <= MAX_SETTINGS, Abuse.SETTINGS_FLOOD);
    }

    /** Frame types that mean nothing to us, and answers that nobody asked for. */
    void unknown(long now) throws Http2Exception {
        check(unknown.take(now), Abuse.UNKNOWN_FRAME_FLOOD);
    }

    void priority() throws Http2Exception {
        check(++priorities <= 100 * (1 + opened), Abuse.PRIORITY_FLOOD);
    }

    /** A server may reset every stream, as some do behind each answer that did not need the request's body: once each, and some late. */
    void resetByServer() throws Http2Exception {
        check(++serverResets <= 100 + opened, Abuse.RAPID_RESET);
    }

    void windowUpdate() throws Http2Exception {
        check(++windowUpdates <= 5 + 2 * (opened + 10 * dataFramesSent), Abuse.WINDOW_UPDATE_FLOOD);
    }

    /** An empty frame may come once between two that carry something; one that ends the stream always may. */
    void data(int bytes, boolean last, LongSupplier clock) throws Http2Exception {
        if (last) {
            lastDataEmpty = false;
            return;
        }
        if (bytes == 0) {
            check(!lastDataEmpty, Abuse.EMPTY_DATA_FLOOD);
            lastDataEmpty = true;
            return;
        }
        lastDataEmpty = false;
        if (bytes < TINY) {
            check(tinyData.take(clock.getAsLong()), Abuse.TINY_DATA_FLOOD);
        }
    }

    private static void check(boolean allowed, Abuse kind) throws Http2Exception {
        if (!allowed) {
            throw kind.error();
        }
    }
}
