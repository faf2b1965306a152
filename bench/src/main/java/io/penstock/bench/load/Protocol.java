package io.penstock.bench.load;

/** What a load connection speaks. Both are without TLS: what is measured is the proxy's own work. Immutable. */
public enum Protocol {
    /** HTTP/2 by prior knowledge (RFC 9113 section 3.3). */
    H2C,
    /** HTTP/1.1 with keep-alive; one request at a time on a connection. */
    HTTP1
}
