package io.penstock.proxy.request;

/**
 * Where a request is. Moves go down the page only:
 *
 * <pre>
 * RECEIVED ──► QUEUED ──► CONNECTING ──► FORWARDING ──► RESPONDING ──► DONE
 *    │           │  ▲          │              │              │
 *    │           │  └──────────┴──────────────┘ replay       │
 *    │           │             │              │              │
 *    ├───────────┴─────────────┴──────────────┴─► REPLYING ──┼──► DONE
 *    │           │             │              │              │
 *    └───────────┴─────────────┴──────────────┴──────────────┴──► RESET or CANCELLED
 * </pre>
 *
 * QUEUED: in flow control. CONNECTING: has an endpoint, no connection yet. FORWARDING: the request is being sent, or the backend thinks.
 * RESPONDING: the response head has gone to the client. REPLYING: the proxy answers itself. RESET: the proxy ended it without a clean end.
 * CANCELLED: the client has gone. A request without a body goes from RECEIVED to CONNECTING.
 */
public enum Phase {
    RECEIVED,
    QUEUED,
    CONNECTING,
    FORWARDING,
    RESPONDING,
    REPLYING,
    DONE,
    RESET,
    CANCELLED;

    /** One bit for each phase that an arrow leads to: the check is made several times a request. */
    private static final int[] ARROWS = new int[values().length];

    static {
        int ends = bits(REPLYING, RESET, CANCELLED);
        ARROWS[RECEIVED.ordinal()] = ends | bits(QUEUED, CONNECTING);
        ARROWS[QUEUED.ordinal()] = ends | bits(CONNECTING);
        ARROWS[CONNECTING.ordinal()] = ends | bits(FORWARDING, QUEUED, CONNECTING);
        ARROWS[FORWARDING.ordinal()] = ends | bits(RESPONDING, QUEUED, CONNECTING);
        ARROWS[RESPONDING.ordinal()] = bits(DONE, RESET, CANCELLED);
        ARROWS[REPLYING.ordinal()] = bits(DONE, RESET, CANCELLED);
    }

    /** Whether nothing more can happen to the request. */
    public boolean over() {
        return compareTo(DONE) >= 0;
    }

    /** Whether a response head may still be sent to the client. */
    public boolean beforeResponse() {
        return compareTo(RESPONDING) < 0;
    }

    /** Whether the diagram has an arrow from this phase to the other. */
    public boolean canMoveTo(Phase to) {
        return (ARROWS[ordinal()] >>> to.ordinal() & 1) != 0;
    }

    private static int bits(Phase... phases) {
        int bits = 0;
        for (Phase phase : phases) {
            bits |= 1 << phase.ordinal();
        }
        return bits;
    }
}
