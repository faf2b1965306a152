package io.penstock.proxy.endpoint;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Takes an endpoint out of placement while it cannot be reached. Three failures in a row put it out for 5 s; when that time is over one
 * request a second tries it, and each further failure puts it out for twice as long, at most 60 s. Any byte of a response makes it whole.
 * That at least one endpoint is always left is placement's rule, since only it sees the others. Any thread.
 */
final class Health {

    /** Failures in a row that put an endpoint out. */
    static final int THRESHOLD = 3;
    /** First time out. */
    static final long BASE_NANOS = Duration.ofSeconds(5).toNanos();
    /** Longest time out. */
    static final long MAX_NANOS = Duration.ofSeconds(60).toNanos();
    /** Between two tries of an endpoint whose time out is over. */
    static final long PROBE_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Spell WELL = new Spell(0, 0, 0);

    private final LongSupplier clock;
    private final AtomicReference<Spell> spell = new AtomicReference<>(WELL);
    private volatile long nextProbe;

    Health(LongSupplier clock) {
        this.clock = clock;
    }

    /** Whether placement may choose the endpoint now. */
    boolean available(long now) {
        Spell current = spell.get();
        return current.ejections == 0 || now - current.until >= 0 && now - nextProbe >= 0;
    }

    /** Placement chose the endpoint: if that was a try, the next one is a second away. */
    void chosen(long now) {
        if (spell.get().ejections != 0) {
            nextProbe = now + PROBE_NANOS;
        }
    }

    HealthState state(long now) {
        Spell current = spell.get();
        if (current.ejections == 0) {
            return HealthState.HEALTHY;
        }
        return now - current.until >= 0 ? HealthState.PROBING : HealthState.EJECTED;
    }

    int failures() {
        return spell.get().failures;
    }

    void succeeded() {
        if (spell.get() != WELL) {
            spell.set(WELL);
        }
    }

    void failed() {
        long now = clock.getAsLong();
        Spell before = spell.get();
        Spell after = before.failedAt(now);
        while (!spell.compareAndSet(before, after)) {
            before = spell.get();
            after = before.failedAt(now);
        }
        if (after.ejections != before.ejections) {
            nextProbe = after.until;
        }
    }

    /** Failures in a row, how often they put the endpoint out, and until when. */
    private record Spell(int failures, int ejections, long until) {

        Spell failedAt(long now) {
            if (ejections != 0 && now - until < 0) {
                // It was sent before the endpoint went out, and says nothing new.
                return this;
            }
            if (failures + 1 < THRESHOLD) {
                return new Spell(failures + 1, 0, 0);
            }
            long time = Math.min(MAX_NANOS, BASE_NANOS << Math.min(ejections, 8));
            return new Spell(Math.min(failures + 1, 1_000_000), ejections + 1, now + time);
        }
    }
}
