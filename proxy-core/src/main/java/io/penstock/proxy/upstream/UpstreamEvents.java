package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;

/** What the connection pools report for metrics and health. Called on event loops, inside the data path: implementations only count. */
public interface UpstreamEvents {

    /** Reports nothing. */
    UpstreamEvents NONE = new UpstreamEvents() {
    };

    /** A connection is up, so many nanoseconds after its connect began. */
    default void connected(Endpoint endpoint, long nanos) {
    }

    /** A connect was refused or timed out. A connect that its request gave up is not one. */
    default void connectFailed(Endpoint endpoint) {
    }

    /** A connection that had been up is closed. */
    default void closed(Endpoint endpoint) {
    }

    /** A request takes an idle connection. */
    default void reused(Endpoint endpoint) {
    }

    /** A request found the endpoint at its connection limit. */
    default void overflow(Endpoint endpoint) {
    }

    /** A response broke the protocol. */
    default void malformed(Endpoint endpoint) {
    }
}
