package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One event loop's connections to one endpoint, from the connect to the close of each. Event loop only.
 *
 * @param <C> a connection
 */
abstract class ConnectionPool<C> {

    private final Endpoint endpoint;
    /** Oldest first. */
    private final Set<C> all = new LinkedHashSet<>();

    ConnectionPool(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    final Endpoint endpoint() {
        return endpoint;
    }

    final void add(C connection) {
        all.add(connection);
    }

    /** A connection has closed. True when it was the last one. */
    boolean remove(C connection) {
        all.remove(connection);
        return all.isEmpty();
    }

    final Iterable<C> all() {
        return all;
    }

    /** For who closes some on the way: each close takes its connection out. */
    final List<C> copy() {
        return List.copyOf(all);
    }

    /** The endpoint has gone: idle connections close now, busy ones after their last response. */
    abstract void retire();

    /** Closes busy connections, too; their exchanges fail. */
    abstract void closeAll();
}
