package io.penstock.flow.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.penstock.flow.EndpointView;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Races for the outcome of one waiting request, of its ticket alone and through the whole engine. Each nested class is one test. */
public final class TicketRaces {

    private TicketRaces() {
    }

    private static final Lease NO_LEASE = new Lease() {
        @Override
        public EndpointView endpoint() {
            throw new IllegalStateException("endpoint: none");
        }

        @Override
        public void close() {
            // Nothing was charged.
        }
    };

    /** Behind a shut gate for ever; gives bare tickets their engine. */
    private static final Scene.Call ENGINE = new Scene(1, 0).call(0).submit();

    private static QueuedTicket bare() {
        QueuedTicket known = ENGINE.ticket();
        return QueuedTicket.of(known.dispatcher, known.band, ENGINE.flowKey(), 1, 0, false, ENGINE, ENGINE, Runnable::run);
    }

    /** The drainer dispatches while the client goes: nothing but the ticket, so that they meet often. */
    @JCStressTest
    @Outcome(id = {"true, false", "false, true"}, expect = ACCEPTABLE, desc = "one of them has it")
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "dispatched and cancelled: its charge belongs to nobody")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "nobody: it hangs")
    @State
    public static class SettledAsDispatchedOrCancelled {
        private final QueuedTicket ticket = bare();

        @Actor
        public void dispatch(ZZ_Result r) {
            r.r1 = ticket.dispatch(NO_LEASE, 0);
        }

        @Actor
        public void cancel(ZZ_Result r) {
            r.r2 = ticket.cancel();
        }
    }

    /** The drainer sends it away while the client goes: nothing but the ticket. */
    @JCStressTest
    @Outcome(id = {"true, false", "false, true"}, expect = ACCEPTABLE, desc = "one of them has it")
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "expired and cancelled: its place is released twice")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "nobody: it hangs")
    @State
    public static class SettledAsExpiredOrCancelled {
        private final QueuedTicket ticket = bare();

        @Actor
        public void expire(ZZ_Result r) {
            r.r1 = ticket.refuse(QueuedTicket.EXPIRED, RejectReason.TTL_EXPIRED, io.penstock.flow.Outcome.EVICTED_TTL, 0, 0);
        }

        @Actor
        public void cancel(ZZ_Result r) {
            r.r2 = ticket.cancel();
        }
    }

    /** A request that waits behind a shut gate, alone in its band. */
    private static final class Waits {
        final Scene scene = new Scene(1, 0);
        final Scene.Call call = scene.call(0).submit();

        void count(LLLL_Result r) {
            r.r2 = call.heard.get();
            r.r3 = scene.inFlight.get();
            r.r4 = scene.waiting(0);
        }
    }

    /** The gate opens while the client goes. */
    @JCStressTest
    @Outcome(id = "true, 0, 0, 0", expect = ACCEPTABLE, desc = "cancelled: nothing is heard, nothing stays charged")
    @Outcome(id = "false, 1, 1, 0", expect = ACCEPTABLE, desc = "dispatched: heard once, one charge, which is the listener's")
    @Outcome(id = "true, [^0].*", expect = FORBIDDEN, desc = "cancelled, and heard of all the same")
    @Outcome(id = ".*, .*, .*, [^0].*", expect = FORBIDDEN, desc = "the place was not released, or twice")
    @Outcome(expect = FORBIDDEN, desc = "a charge that nobody holds, or an outcome that nobody heard")
    @State
    public static class DispatchOrCancel {
        private final Waits waits = new Waits();

        @Actor
        public void dispatch() {
            waits.scene.open(1);
        }

        @Actor
        public void cancel(LLLL_Result r) {
            r.r1 = waits.call.cancel();
        }

        @Arbiter
        public void count(LLLL_Result r) {
            waits.count(r);
        }
    }

    /** The budget ends while the client goes. */
    @JCStressTest
    @Outcome(id = "true, 0, 0, 0", expect = ACCEPTABLE, desc = "cancelled: nothing is heard")
    @Outcome(id = "false, 1, 0, 0", expect = ACCEPTABLE, desc = "expired: heard once")
    @Outcome(expect = FORBIDDEN, desc = "two outcomes or none, or the place was not released once")
    @State
    public static class ExpireOrCancel {
        private final Waits waits = new Waits();

        @Actor
        public void expire() {
            waits.scene.expire();
        }

        @Actor
        public void cancel(LLLL_Result r) {
            r.r1 = waits.call.cancel();
        }

        @Arbiter
        public void count(LLLL_Result r) {
            waits.count(r);
        }
    }

    /** The gate opens while the budget ends; the client goes after that. */
    @JCStressTest
    @Outcome(id = "false, 1, 1, 0", expect = ACCEPTABLE, desc = "dispatched, and too late to cancel")
    @Outcome(id = "false, 1, 0, 0", expect = ACCEPTABLE, desc = "expired, and too late to cancel")
    @Outcome(id = "true, .*", expect = FORBIDDEN, desc = "still waiting: neither signal was heard")
    @Outcome(expect = FORBIDDEN, desc = "two outcomes, a charge that nobody holds, or the place was not released once")
    @State
    public static class DispatchOrExpire {
        private final Waits waits = new Waits();

        @Actor
        public void dispatch() {
            waits.scene.open(1);
        }

        @Actor
        public void expire() {
            waits.scene.expire();
        }

        @Arbiter
        public void count(LLLL_Result r) {
            r.r1 = waits.call.cancel();
            waits.count(r);
        }
    }

    /** The process stops while the client goes. */
    @JCStressTest
    @Outcome(id = "true, 0, 0, 0", expect = ACCEPTABLE, desc = "cancelled")
    @Outcome(id = "false, 1, 0, 0", expect = ACCEPTABLE, desc = "sent away, and told so once")
    @Outcome(expect = FORBIDDEN, desc = "two outcomes or none, or the place was not released once")
    @State
    public static class ShutdownOrCancel {
        private final Waits waits = new Waits();

        @Actor
        public void stop() {
            waits.scene.controller.shutdown();
        }

        @Actor
        public void cancel(LLLL_Result r) {
            r.r1 = waits.call.cancel();
        }

        @Arbiter
        public void count(LLLL_Result r) {
            waits.count(r);
        }
    }
}
