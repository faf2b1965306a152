package io.penstock.flow.testkit;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Remembers the one outcome it should hear, and counts how many it heard. Written by one thread at a time, read by any. */
public final class RecordingListener implements AdmissionListener {

    private final AtomicInteger outcomes = new AtomicInteger();
    private final AtomicInteger evictions = new AtomicInteger();
    private volatile int retryAfter = -1;
    private final Consumer<RecordingListener> onOutcome;
    private volatile @Nullable FlowKey effective;
    private volatile @Nullable Lease lease;
    private volatile @Nullable RejectReason refused;
    private volatile long waitedNanos = -1;
    private volatile boolean passed;

    public RecordingListener() {
        this(listener -> {
        });
    }

    /** Also tells each outcome on. */
    public RecordingListener(Consumer<RecordingListener> onOutcome) {
        this.onOutcome = onOutcome;
    }

    @Override
    public void onDispatched(FlowKey key, Lease charged, long waited) {
        effective = key;
        lease = charged;
        waitedNanos = waited;
        heard();
    }

    @Override
    public void onPassed(Lease charged) {
        passed = true;
        lease = charged;
        heard();
    }

    @Override
    public void onRefused(RejectReason reason, int retryAfterSeconds) {
        refused = reason;
        retryAfter = retryAfterSeconds;
        heard();
    }

    @Override
    public void onEvicted() {
        evictions.incrementAndGet();
    }

    /** How often it was told to stop. */
    public int evictions() {
        return evictions.get();
    }

    /** The seconds that came with a refusal; -1 without one. */
    public int retryAfter() {
        return retryAfter;
    }

    private void heard() {
        outcomes.incrementAndGet();
        onOutcome.accept(this);
    }

    /** How many outcomes were told; 1 is right, once there is one. */
    public int outcomes() {
        return outcomes.get();
    }

    public boolean dispatched() {
        return effective != null;
    }

    public boolean passed() {
        return passed;
    }

    /** The flow that admitted it, or null. */
    public @Nullable FlowKey effective() {
        return effective;
    }

    /** Why it was refused, or null. */
    public @Nullable RejectReason refused() {
        return refused;
    }

    public long waitedNanos() {
        return waitedNanos;
    }

    /** What it was charged on. */
    public Lease lease() {
        return Objects.requireNonNull(lease, "not dispatched");
    }
}
