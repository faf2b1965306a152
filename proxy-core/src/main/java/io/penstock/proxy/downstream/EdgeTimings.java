package io.penstock.proxy.downstream;

import java.time.Duration;

/**
 * How long a client may take, in nanoseconds (spec/edge section 1.1).
 *
 * @param preface until the protocol is known, and for a TLS handshake
 * @param headers from a request head's first byte to its last
 * @param idle without any request
 * @param writeStall while the client takes nothing of what waits for it
 * @param tick between two looks at a connection; every limit is that coarse
 */
record EdgeTimings(long preface, long headers, long idle, long writeStall, long tick) {

    private static final long MAX_TICK = Duration.ofSeconds(1).toNanos();
    private static final long MIN_TICK = Duration.ofMillis(20).toNanos();

    static EdgeTimings of(Duration writeStall) {
        return of(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofHours(1), writeStall);
    }

    static EdgeTimings of(Duration preface, Duration headers, Duration idle, Duration writeStall) {
        long shortest = Math.min(Math.min(preface.toNanos(), headers.toNanos()), Math.min(idle.toNanos(), writeStall.toNanos()));
        return new EdgeTimings(preface.toNanos(), headers.toNanos(), idle.toNanos(), writeStall.toNanos(),
                Math.max(MIN_TICK, Math.min(MAX_TICK, shortest / 4)));
    }
}
