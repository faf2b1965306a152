package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections to one endpoint. Event loop only. The idle ones are a stack, so that the connection that was used last is
 * used next and the surplus grows old and is closed.
 */
final class EndpointPool {

    private final Endpoint endpoint;
    private final Set<Http1Connection> all = new HashSet<>();
    private final ArrayDeque<Http1Connection> idle = new ArrayDeque<>();
    private final String authority;
    private boolean retired;

    EndpointPool(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.authority = endpoint.spec().authority();
    }

    /** For a request that names no host. */
    String authority() {
        return authority;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    void add(Http1Connection connection) {
        all.add(connection);
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

    /** A connection has closed. True when it was the last one. */
    boolean remove(Http1Connection connection) {
        all.remove(connection);
        // Closed ones are mostly the oldest, which are at this end.
        idle.removeLastOccurrence(connection);
        return all.isEmpty();
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

    /** The endpoint has gone: idle connections close now, busy ones after their response. */
    void retire() {
        retired = true;
        for (Http1Connection next = idle.pollLast(); next != null; next = idle.pollLast()) {
            next.close();
        }
    }

    /** Closes busy connections, too; their exchanges fail. */
    void closeAll() {
        retire();
        // A copy: each close takes its connection out of the set.
        List<Http1Connection> busy = new ArrayList<>(all);
        for (Http1Connection connection : busy) {
            connection.breakOff();
        }
    }
}
