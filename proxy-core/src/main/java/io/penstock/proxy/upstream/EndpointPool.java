package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections to one endpoint. Event loop only. The idle ones are a stack, so that the connection that was used last is
 * used next and the surplus grows old and is closed.
 */
final class EndpointPool extends ConnectionPool<Http1Connection> {

    private final ArrayDeque<Http1Connection> idle = new ArrayDeque<>();
    private final String authority;
    private boolean retired;

    EndpointPool(Endpoint endpoint) {
        super(endpoint);
        this.authority = endpoint.spec().authority();
    }

    /** For a request that names no host. */
    String authority() {
        return authority;
    }

    /** The newest idle connection that is still good, or null. The caller uses it or closes it. */
    @Nullable Http1Connection take(long idleSinceAtLeast) {
        for (Http1Connection next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            if (next.usable() && next.idleSince() - idleSinceAtLeast > 0) {
                return next;
            }
            next.close();
        }
        return null;
    }

    /** Keeps the connection for the next request; false when nobody shall use it again. */
    boolean keep(Http1Connection connection) {
        if (retired) {
            return false;
        }
        idle.addFirst(connection);
        return true;
    }

    @Override
    boolean remove(Http1Connection connection) {
        // Closed ones are mostly the oldest, which are at this end.
        idle.removeLastOccurrence(connection);
        return super.remove(connection);
    }

    /** Closes what has been idle since before then; true when idle ones remain. */
    boolean closeIdle(long idleSinceAtLeast) {
        while (true) {
            Http1Connection oldest = idle.peekLast();
            if (oldest == null || oldest.idleSince() - idleSinceAtLeast > 0) {
                return oldest != null;
            }
            idle.pollLast();
            oldest.close();
        }
    }

    @Override
    void retire() {
        retired = true;
        for (Http1Connection next = idle.pollLast(); next != null; next = idle.pollLast()) {
            next.close();
        }
    }

    @Override
    void closeAll() {
        retire();
        copy().forEach(Http1Connection::breakOff);
    }
}
