package io.penstock.flow.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A monotonic clock that moves when a test says so. Starts at a value that would show an overflow. */
public final class ManualClock implements LongSupplier {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(1).toNanos());

    @Override
    public long getAsLong() {
        return nanos.get();
    }

    public void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    public void advanceMillis(long millis) {
        advance(Duration.ofMillis(millis));
    }
}
