package io.penstock.proxy.request;

/**
 * How an exchange with a backend failed, with what decides whether the request may be sent again (design: failover).
 *
 * @param kind what happened
 * @param reused whether the connection had served a request before
 * @param responseStarted whether a byte of the response had come in
 * @param requestSent whether all of the request had been written to the socket
 */
public record UpstreamFault(Kind kind, boolean reused, boolean responseStarted, boolean requestSent) {

    /** What happened. */
    public enum Kind {
        /** No connection: refused, unreachable, timed out. */
        CONNECT,
        /** The backend closed or reset the connection. */
        CLOSED,
        /** The backend's answer breaks the protocol. */
        MALFORMED,
        /** The endpoint has as many connections as it may have. */
        OVERFLOW
    }
}
