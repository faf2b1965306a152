package io.penstock.proxy.request;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of request bodies that the whole process may hold while it collects them (design: a process-wide cap). Any thread.
 *
 * <p>One request may hold as much as is left free for all others, so never more than half of all. Whoever fills the budget with large
 * bodies that never end finds that each next one gets less, and small bodies still find room.
 */
public final class BodyBudget {

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    /** @param limit bytes, 1 or more */
    public BodyBudget(long limit) {
        this.limit = limit;
    }

    /**
     * Takes so many bytes; false, and nothing taken, when they are not left.
     *
     * @param already what the same request holds
     */
    boolean tryTake(int bytes, long already) {
        long now = held.addAndGet(bytes);
        if (already + bytes <= limit - now) {
            return true;
        }
        held.addAndGet(-bytes);
        return false;
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }

    /** Bytes held at this moment. */
    public long held() {
        return held.get();
    }
}
