package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the connections to each endpoint over all event loops and refuses those above the limit. Any thread. A connection counts from the
 * start of its connect to the close of its socket, idle time included; an endpoint without connections takes no memory.
 */
public final class ConnectionLimit {

    private final ConcurrentHashMap<Endpoint, Integer> open = new ConcurrentHashMap<>();
    private final int maxPerEndpoint;

    /** @param maxPerEndpoint at least 1 (contract section 2, {@code upstream.maxConnectionsPerEndpoint}) */
    public ConnectionLimit(int maxPerEndpoint) {
        if (maxPerEndpoint < 1) {
            throw new IllegalArgumentException("maxConnectionsPerEndpoint: " + maxPerEndpoint + " (expected: at least 1)");
        }
        this.maxPerEndpoint = maxPerEndpoint;
    }

    /** Connections to the endpoint at this moment. */
    public int open(Endpoint endpoint) {
        return open.getOrDefault(endpoint, 0);
    }

    /** Takes a place; false, and nothing taken, when all are taken. */
    boolean tryOpen(Endpoint endpoint) {
        while (true) {
            Integer now = open.get(endpoint);
            if (now == null) {
                if (open.putIfAbsent(endpoint, 1) == null) {
                    return true;
                }
            } else if (now >= maxPerEndpoint) {
                return false;
            } else if (open.replace(endpoint, now, now + 1)) {
                return true;
            }
        }
    }

    /** Gives a place back. */
    void closed(Endpoint endpoint) {
        open.computeIfPresent(endpoint, (e, now) -> now == 1 ? null : now - 1);
    }
}
