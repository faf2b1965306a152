package io.penstock.flow.engine;

import io.penstock.flow.FlowEvents;
import io.penstock.flow.Lease;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Tells running requests below priority 0 to stop when a band above them is blocked by saturation (spec/flow-control section 9). It asks
 * for little and then waits to see what that did: at most {@value #MOST} at a time, and no more until all of those have ended, or have
 * failed to for 10 s, and the detectors have had their grace to notice. {@link #ended} is for any thread, everything else the drainer's.
 */
final class Reclaimer {

    /** Requests told to stop by one decision. */
    static final int MOST = 2;
    /** After this a victim that does not end is given up: it must not keep the gate closed. */
    static final long CONFIRM_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int CHUNK = 256;

    private final FlowEvents events;
    private final AtomicInteger inFlight = new AtomicInteger();
    /** Evictable requests whose lease was closed. */
    private final MpscUnboundedAtomicArrayQueue<Running> ended = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
    private final VictimHeap victims = new VictimHeap();
    private final Revocation[] revocations = {new Revocation(), new Revocation()};
    private long graceNanos;
    private long dispatched;

    /** One request that was told to stop, from then until the detectors know. */
    private static final class Revocation {

        /** Until its end is confirmed or given up; null while it cools, and while this is free. */
        private @Nullable Running victim;
        private boolean cooling;
        private long sinceNanos;
        private double credit;

        boolean free() {
            return victim == null && !cooling;
        }

        void cool(long now) {
            victim = null;
            cooling = true;
            sinceNanos = now;
        }
    }

    Reclaimer(FlowEvents events, long graceNanos) {
        this.events = events;
        this.graceNanos = graceNanos;
    }

    void grace(long nanos) {
        graceNanos = nanos;
    }

    /** Eviction was switched off; what has been told to stop stops, and nobody waits for it. */
    void close() {
        events.reclaimPending(0);
    }

    /** A lease was closed. */
    void ended(Running running) {
        inFlight.decrementAndGet();
        if (running.priority < 0) {
            ended.offer(running);
        }
    }

    void failed(String what, Throwable cause) {
        events.failed(what, cause);
    }

    // ------------------------------------------------------------------------------------------------------------------- drainer

    /** A request about to be dispatched. It counts until its lease is closed. */
    Running track(Lease lease, int requestedPriority) {
        inFlight.incrementAndGet();
        return new Running(this, lease, requestedPriority, dispatched++);
    }

    /** The request was dispatched and may be told to stop, if it is sheddable. */
    void started(Running running) {
        if (running.priority < 0 && !running.isClosed()) {
            victims.add(running);
        }
    }

    /** Hears of requests that have ended. */
    void takeIn(long now) {
        for (Running running = ended.relaxedPoll(); running != null; running = ended.relaxedPoll()) {
            victims.remove(running);
            for (Revocation each : revocations) {
                if (each.victim == running) {
                    events.revocationEnded(true, now - each.sinceNanos);
                    each.cool(now);
                }
            }
        }
    }

    /** Whether anybody could be told to stop now. */
    boolean ready(long now) {
        return quiet(now) && victims.first() != null;
    }

    /**
     * A decision has dispatched nothing, and this is {@link #ready}: if a band with something waiting is gated, the highest such band is
     * helped. A band that only an assumption keeps closed, such as that of an endpoint whose metrics cannot be read, is not: those who run
     * may have nothing to do with it, and stopping them may open nothing.
     *
     * @param observed what of the saturation has been seen; NaN for nothing
     */
    void blocked(BandTable table, double saturation, double observed, double[] ceilings, long now) {
        Running victim = victims.first();
        for (int i = 0; victim != null && i < table.size(); i++) {
            Band band = table.at(i);
            if (band.priority <= victim.priority) {
                return;
            }
            if (ceilings[i] > 0 && saturation >= ceilings[i] && observed >= ceilings[i] && band.queues.waiting() > 0) {
                reclaim(band.priority, saturation, saturation - ceilings[i], now);
                return;
            }
        }
    }

    /** Also called on each tick, so that what has run out is seen though nothing is blocked. */
    boolean quiet(long now) {
        boolean quiet = true;
        boolean changed = false;
        for (Revocation each : revocations) {
            if (each.victim != null && now - each.sinceNanos >= CONFIRM_NANOS) {
                events.revocationEnded(false, now - each.sinceNanos);
                each.cool(now);
            } else if (each.cooling && now - each.sinceNanos >= graceNanos) {
                each.cooling = false;
                changed = true;
            }
            quiet &= each.free();
        }
        if (changed) {
            publishPending();
        }
        return quiet;
    }

    /**
     * Tells as many to stop as make up the difference, each of them counted with an equal share of the saturation. On the boundary that is
     * one. Nothing is pending here: {@link #quiet} has seen to that.
     */
    private void reclaim(int demand, double saturation, double target, long now) {
        double credit = saturation / inFlight.get();
        if (!(credit > 0) || Double.isInfinite(credit)) {
            return;
        }
        events.reclaimTarget(target);
        int wanted = (int) Math.min(MOST, Math.max(1, Math.ceil(target / credit)));
        int told = 0;
        for (Running victim = victims.first(); told < wanted && victim != null && victim.priority < demand; victim = victims.first()) {
            victims.remove(victim);
            if (!victim.isClosed() && tell(victim, revocations[told], credit, now)) {
                told++;
            }
        }
        if (told > 0) {
            events.revoked(demand, told);
            publishPending();
        }
    }

    /** Booked before it is told, since the answer may come at once. An owner that takes no task has stopped: then it is no victim. */
    private boolean tell(Running victim, Revocation revocation, double credit, long now) {
        revocation.victim = victim;
        revocation.sinceNanos = now;
        revocation.credit = credit;
        try {
            Objects.requireNonNull(victim.owner).execute(victim);
            return true;
        } catch (Throwable stopped) {
            revocation.victim = null;
            events.failed("executor", stopped);
            return false;
        }
    }

    private void publishPending() {
        double pending = 0;
        for (Revocation each : revocations) {
            pending += each.free() ? 0 : each.credit;
        }
        events.reclaimPending(pending);
    }
}
