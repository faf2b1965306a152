package io.penstock.proxy.http2;

/**
 * The states of a stream (RFC 9113 section 5.1) that can occur here; nobody may push, so none is reserved. Immutable.
 *
 * <pre>
 *               head sent or received
 *                        |
 *   IDLE ------------> OPEN ---- their END_STREAM ----> HALF_CLOSED_REMOTE
 *                        |                                      |
 *                 our END_STREAM                         our END_STREAM
 *                        v                                      v
 *               HALF_CLOSED_LOCAL -- their END_STREAM --->   CLOSED
 *
 *   every state -- RST_STREAM sent or received, or the connection's end --> CLOSED
 * </pre>
 */
enum StreamState {
    /** Opened here, nothing sent; the peer does not know of it. */
    IDLE,
    OPEN,
    HALF_CLOSED_LOCAL,
    HALF_CLOSED_REMOTE,
    CLOSED;

    StreamState endLocal() {
        return this == HALF_CLOSED_REMOTE || this == CLOSED ? CLOSED : HALF_CLOSED_LOCAL;
    }

    StreamState endRemote() {
        return this == HALF_CLOSED_LOCAL || this == CLOSED ? CLOSED : HALF_CLOSED_REMOTE;
    }
}
