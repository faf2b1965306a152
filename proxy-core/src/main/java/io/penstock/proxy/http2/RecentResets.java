package io.penstock.proxy.http2;

/**
 * The last streams that we reset: what the peer sent for them before it knew is no error (RFC 9113 section 5.1). Used on one event loop.
 */
final class RecentResets {

    private static final int MIN = 128;
    private static final int MAX = 4_096;

    private final int[] ids;
    private int next;

    /** @param streams how many the peer may have open at once, all of which can be reset before it reads the first reset */
    RecentResets(int streams) {
        ids = new int[Math.min(MAX, Math.max(MIN, streams))];
    }

    void add(int streamId) {
        ids[next] = streamId;
        next = (next + 1) % ids.length;
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
