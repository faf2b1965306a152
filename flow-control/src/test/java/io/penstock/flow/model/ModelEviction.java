package io.penstock.flow.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who is to stop for a blocked band (spec/flow-control section 9): few at a time, and nobody else until they have ended and the detectors
 * have had time to see it. One thread.
 */
final class ModelEviction {

    private static final int MOST = 2;
    private static final long GIVEN_UP = 10_000_000_000L;

    private final Seen.Notes notes;
    private final List<Waiting> running = new ArrayList<>();
    /** Told to stop, and when. */
    private final List<Told> told = new ArrayList<>();
    /** When the ones that have stopped did so. */
    private final List<Long> cooling = new ArrayList<>();
    private long grace;
    private long dispatched;

    private record Told(Waiting victim, long at) {
    }

    ModelEviction(Seen.Notes notes, long grace) {
        this.notes = notes;
        this.grace = grace;
    }

    void grace(long nanos) {
        grace = nanos;
    }

    void dispatched(Waiting one) {
        one.tracked = dispatched++;
        running.add(one);
    }

    void ended(Waiting one, long now) {
        running.remove(one);
        Told revocation = told.stream().filter(each -> each.victim == one).findFirst().orElse(null);
        if (revocation != null) {
            end(revocation, true, now);
        }
    }

    private void end(Told revocation, boolean confirmed, long now) {
        told.remove(revocation);
        cooling.add(now);
        notes.told("revocation ended " + confirmed + " after " + (now - revocation.at));
    }

    /** What has run out by now; true when nothing is under way. */
    boolean quiet(long now) {
        for (Told each : new ArrayList<>(told)) {
            if (now - each.at >= GIVEN_UP) {
                end(each, false, now);
            }
        }
        cooling.removeIf(since -> now - since >= grace);
        return told.isEmpty() && cooling.isEmpty();
    }

    /** How many are to stop so that saturation falls below a ceiling: each counts for its share of it. 0 where none does. */
    double wanted(double saturation, double ceiling) {
        double each = saturation / running.size();
        if (!(each > 0) || Double.isInfinite(each)) {
            return 0;
        }
        return Math.min(MOST, Math.max(1, Math.ceil((saturation - ceiling) / each)));
    }

    /** Who is to stop first: of the lowest priority the one that was dispatched last; null when nobody may be told any more. */
    @Nullable Waiting next() {
        Waiting best = null;
        for (Waiting one : running) {
            if (one.request.priority() < 0 && !one.revoked && (best == null || before(one, best))) {
                best = one;
            }
        }
        return best;
    }

    private static boolean before(Waiting one, Waiting other) {
        int priority = one.request.priority();
        int otherPriority = other.request.priority();
        return priority != otherPriority ? priority < otherPriority : one.tracked > other.tracked;
    }

    void revoked(Waiting victim, long now) {
        told.add(new Told(victim, now));
    }
}
