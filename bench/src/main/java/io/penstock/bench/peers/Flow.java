package io.penstock.bench.peers;

/** What a Penstock target does about flow control. Immutable. */
enum Flow {
    /** Three bands and a concurrency detector whose limit is never reached; the headroom header is on. */
    ON,
    /** No flow control: no bands, no header. */
    OFF,
    /** As {@link #ON}, but the limit is below the offered concurrency: requests queue, and each answer lets the next one go. */
    GATED
}
