package io.penstock.proxy.downstream;

/** Why a client connection, or one of its requests, was ended by us; the names are metric labels. */
public enum ConnectionFault {
    /** Above {@code limits.maxConnections}: reset at once. */
    CONNECTION_LIMIT,
    /** Nothing, or not enough to tell the protocol, within the preface timeout. */
    PREFACE_TIMEOUT,
    /** A request head that was begun and not finished in time. */
    HEADERS_TIMEOUT,
    IDLE_TIMEOUT,
    /** The client took nothing of what waited for it. */
    WRITE_STALL,
    /** The TLS handshake failed or broke off. */
    TLS_HANDSHAKE,
    /** Something else than TLS on a TLS port. */
    TLS_NOT_TLS,
    /** The client broke HTTP/2 or HTTP/1.1. */
    PROTOCOL_ERROR,
    /** The client's frames were legal but too many. */
    ABUSE,
    /** A defect on our side. */
    INTERNAL_ERROR
}
