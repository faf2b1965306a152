package io.penstock.proxy.endpoint;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.penstock.flow.EngineSample;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJI_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Races for the counts of one endpoint. Each nested class is one test. */
public final class LeaseRaces {

    private static final EndpointSpec SPEC = EndpointSpec.of("e", "127.0.0.1", 8000, Map.of());

    private LeaseRaces() {
    }

    /** A response's last byte and its client's reset both close the lease. */
    @JCStressTest
    @Outcome(id = "1, 3, 1", expect = ACCEPTABLE, desc = "one charge is given back, the neighbour's stays, and it is told once")
    @Outcome(id = "0, .*", expect = FORBIDDEN, desc = "given back twice: the endpoint looks idle with a request on it")
    @Outcome(expect = FORBIDDEN, desc = "not given back, tokens astray, or told twice")
    @State
    public static class ClosedTwice {
        private final Endpoint endpoint = new Endpoint(SPEC);
        private final AtomicInteger signals = new AtomicInteger();
        private final EndpointLease neighbour = endpoint.charge(3, signals::incrementAndGet);
        private final EndpointLease lease = endpoint.charge(5, signals::incrementAndGet);

        @Actor
        public void lastByte() {
            lease.close();
        }

        @Actor
        public void reset() {
            lease.close();
        }

        @Arbiter
        public void count(IJI_Result r) {
            r.r1 = endpoint.inFlightRequests();
            r.r2 = endpoint.inFlightTokens();
            r.r3 = signals.get();
        }
    }

    /** A sample is started and published while a request is dispatched: it belongs to the one or to the other side of it. */
    @JCStressTest
    @Outcome(id = {"1, 1", "1, 0"}, expect = ACCEPTABLE, desc = "charged after the sample's start, or before it")
    @Outcome(expect = FORBIDDEN, desc = "counted twice or below nothing, or not in flight")
    @State
    public static class ChargedWhileSampled {
        private final InFlight counts = new InFlight(null);

        @Actor
        public void sample() {
            InFlight.Window started = counts.mark();
            counts.publish(started, new EngineSample(1, 0, 0, 0));
        }

        @Actor
        public void charge() {
            counts.charge(0);
        }

        @Arbiter
        public void count(II_Result r) {
            r.r1 = counts.requests();
            r.r2 = counts.sinceSample();
        }
    }

    /** A request ends while a sample is started and published. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "gone from both counts, whichever was first")
    @Outcome(expect = FORBIDDEN, desc = "a count that never returns to nothing")
    @State
    public static class GivenBackWhileSampled {
        private final InFlight counts = new InFlight(null);
        private final InFlight.Window window = counts.charge(0);

        @Actor
        public void sample() {
            InFlight.Window started = counts.mark();
            counts.publish(started, new EngineSample(1, 0, 0, 0));
        }

        @Actor
        public void end() {
            counts.giveBack(window, 0);
        }

        @Arbiter
        public void count(II_Result r) {
            r.r1 = counts.requests();
            r.r2 = counts.sinceSample();
        }
    }
}
