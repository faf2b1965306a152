package io.penstock.proxy.request;

/** How a client left before its response was complete. */
public enum ClientGone {
    /** RST_STREAM. */
    RESET,
    /** The connection was closed or broke. */
    DISCONNECTED,
    /** The client broke the protocol and the connection, or its stream, was ended for it. */
    PROTOCOL_ERROR
}
