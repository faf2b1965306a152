package io.penstock.proxy.request;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of request bodies that the whole process may hold while it collects them (design: a process-wide cap). Any thread.
 */
public final class BodyBudget {

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    /** @param limit bytes, 1 or more */
    public BodyBudget(long limit) {
        this.limit = limit;
    }

    /** Takes so many bytes; false, and nothing taken, when they are not left. */
    boolean tryTake(int bytes) {
        if (held.addAndGet(bytes) <= limit) {
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
