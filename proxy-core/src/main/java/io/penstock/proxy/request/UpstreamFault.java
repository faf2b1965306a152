package io.penstock.proxy.request;

/**
 * How an exchange with a backend failed, with what decides whether the request may be sent again (design: failover).
 *
 * @param kind what happened
 * @param reused whether the request may have crossed the server's close of an idle connection: HTTP/1.1, whether the connection had served
 *         a request before; HTTP/2, whether it had been idle and nothing has come in since
 * @param responseStarted whether a byte of the response had come in
 * @param requestSent whether all of the request had been written to the socket, or on HTTP/2 handed to it
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
        OVERFLOW,
        /** The backend says that it has not looked at the request: GOAWAY or REFUSED_STREAM (RFC 9113 section 8.7). */
        REFUSED
    }
}
