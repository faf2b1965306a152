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
        return switch (this) {
            case RECEIVED -> to == QUEUED || to == CONNECTING || endsWith(to);
            case QUEUED -> to == CONNECTING || endsWith(to);
            case CONNECTING -> to == FORWARDING || to == QUEUED || to == CONNECTING || endsWith(to);
            case FORWARDING -> to == RESPONDING || to == QUEUED || to == CONNECTING || endsWith(to);
            case RESPONDING, REPLYING -> to.over();
            case DONE, RESET, CANCELLED -> false;
        };
    }

    private static boolean endsWith(Phase to) {
        return to == REPLYING || to == RESET || to == CANCELLED;
    }
}
