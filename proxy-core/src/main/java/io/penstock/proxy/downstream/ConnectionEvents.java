package io.penstock.proxy.downstream;

import io.penstock.proxy.http2.Abuse;

/** What the client side counts. Called on event loops; implementations are thread-safe and do not block. */
public interface ConnectionEvents {

    /** Counts nothing. */
    ConnectionEvents NONE = new ConnectionEvents() {
    };

    default void opened(String listener) {
    }

    default void closed(String listener) {
    }

    /** {@code HTTP/2} or {@code HTTP/1.1} was chosen. */
    default void protocol(String protocol) {
    }

    default void fault(ConnectionFault fault) {
    }

    /** A connection was ended for this kind of misuse; {@link #fault} is told {@link ConnectionFault#ABUSE} as well. */
    default void abuse(Abuse kind) {
    }

    /** A request was answered here, before any handler saw it. */
    default void refused(int status) {
    }
}
