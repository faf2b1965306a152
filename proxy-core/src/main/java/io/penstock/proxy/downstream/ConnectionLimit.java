package io.penstock.proxy.downstream;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts client connections and never lets more in than allowed. Safe for any thread. */
final class ConnectionLimit {

    private final int max;
    private final AtomicInteger open = new AtomicInteger();

    ConnectionLimit(int max) {
        this.max = max;
    }

    boolean tryAcquire() {
        for (;;) {
            int current = open.get();
            if (current >= max) {
                return false;
            }
            if (open.compareAndSet(current, current + 1)) {
                return true;
            }
        }
    }

    void release() {
        open.decrementAndGet();
    }

    int open() {
        return open.get();
    }
}
