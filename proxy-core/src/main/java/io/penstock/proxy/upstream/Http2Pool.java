package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.request.UpstreamFault.Kind;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's HTTP/2 connections to one endpoint, oldest first. Event loop only. A request goes to the oldest that has room, so that
 * the surplus of a busy time becomes idle and is closed.
 */
final class Http2Pool extends ConnectionPool<Http2Connection> {

    private int lastCapacity = Http2Connector.MAX_STREAMS;

    Http2Pool(Endpoint endpoint) {
        super(endpoint);
    }

    /**
     * A connection with room for one exchange, or null.
     *
     * @param fresh whether one that may have died while idle will not do
     */
    @Nullable Http2Connection take(boolean fresh) {
        for (Http2Connection connection : all()) {
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

    /** Closes what has been idle for too long, and looks whether the others live; true when some are left. */
    boolean scan(long now) {
        for (Http2Connection connection : copy()) {
            if (connection.idleTooLong()) {
                connection.close();
            } else {
                connection.checkLife(now);
            }
        }
        return all().iterator().hasNext();
    }

    @Override
    void retire() {
        copy().forEach(Http2Connection::drain);
    }

    @Override
    void closeAll() {
        copy().forEach(connection -> connection.breakOff(Kind.CLOSED));
    }
}
