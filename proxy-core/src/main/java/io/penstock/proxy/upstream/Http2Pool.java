package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.request.UpstreamFault.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's HTTP/2 connections to one endpoint, oldest first. Event loop only. A request goes to the oldest that has room, so that
 * the surplus of a busy time becomes idle and is closed.
 */
final class Http2Pool {

    private final Endpoint endpoint;
    private final List<Http2Connection> all = new ArrayList<>();
    private int lastCapacity = Http2Connector.MAX_STREAMS;

    Http2Pool(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    void add(Http2Connection connection) {
        all.add(connection);
    }

    /**
     * A connection with room for one exchange, or null.
     *
     * @param fresh whether one that may have died while idle will not do
     */
    @Nullable Http2Connection take(boolean fresh) {
        for (int i = 0; i < all.size(); i++) {
            Http2Connection connection = all.get(i);
            if (connection.takes(fresh) && !connection.idleTooLong()) {
                return connection;
            }
        }
        return null;
    }

    /** What the backend said last of how many requests a connection takes: what the next one may expect until it says so itself. */
    void learned(int capacity) {
        // With none at all there would be no connection to hear of a change.
        lastCapacity = Math.max(1, capacity);
    }

    int lastCapacity() {
        return lastCapacity;
    }

    /** A connection has closed. True when it was the last one. */
    boolean remove(Http2Connection connection) {
        all.remove(connection);
        return all.isEmpty();
    }

    /** Closes what has been idle for too long, and looks whether the others live. */
    void scan(long now) {
        for (Http2Connection connection : List.copyOf(all)) {
            if (connection.idleTooLong()) {
                connection.close();
            } else {
                connection.checkLife(now);
            }
        }
    }

    /** The endpoint has gone: idle connections close now, busy ones after their last response. */
    void retire() {
        List.copyOf(all).forEach(Http2Connection::drain);
    }

    /** Closes busy connections, too; their exchanges fail. */
    void closeAll() {
        List.copyOf(all).forEach(connection -> connection.breakOff(Kind.CLOSED));
    }
}
