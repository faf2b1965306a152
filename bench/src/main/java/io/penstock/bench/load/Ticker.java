package io.penstock.bench.load;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/** Time as load sees it: an event loop's in earnest, a test's own in tests. */
interface Ticker {

    long nanoTime();

    /** Runs it at this time of {@link #nanoTime} or as soon as possible after it, on the load's thread. */
    void at(long nanos, Runnable task);

    static Ticker of(EventLoop loop) {
        return new Ticker() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public void at(long nanos, Runnable task) {
                loop.schedule(task, nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        };
    }
}
