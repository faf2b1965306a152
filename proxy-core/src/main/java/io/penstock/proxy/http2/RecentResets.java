package io.penstock.proxy.http2;

/**
 * The last streams that we reset: what the peer sent for them before it knew is no error (RFC 9113 section 5.1). Used on one event loop.
 */
final class RecentResets {

    private static final int SIZE = 128;

    private final int[] ids = new int[SIZE];
    private int next;

    void add(int streamId) {
        ids[next] = streamId;
        next = next + 1 & SIZE - 1;
    }

    boolean contains(int streamId) {
        for (int id : ids) {
            if (id == streamId) {
                return true;
            }
        }
        return false;
    }
}
