package io.penstock.flow.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Set;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.IIJ_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Races of requests that come, through the whole engine. Each nested class is one test. */
public final class AdmissionRaces {

    private AdmissionRaces() {
    }

    /** The only running request ends while another one comes: its signal and the arrival's must not miss each other. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "dispatched, and the only one that runs")
    @Outcome(id = "0, .*", expect = FORBIDDEN, desc = "it waits although the endpoint is idle: a lost wake-up")
    @Outcome(expect = FORBIDDEN, desc = "more than one runs, or a charge went astray")
    @State
    public static class LeaseClosedOrArrival {
        private final Scene scene = new Scene(5, 1);
        private final Scene.Call first = scene.call(0).submit();
        private final Scene.Call second = scene.call(0);

        @Actor
        public void end() {
            first.close();
        }

        @Actor
        public void come() {
            second.submit();
        }

        @Arbiter
        public void count(II_Result r) {
            r.r1 = second.dispatched;
            r.r2 = scene.inFlight.get();
        }
    }

    /** Two come when the endpoint takes one and the band holds one: the gate is not overshot, and nobody is refused without need. */
    @JCStressTest
    @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "one runs, one waits")
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "one runs, and the other came while the place was still taken")
    @Outcome(id = "2, .*", expect = FORBIDDEN, desc = "both run: the gate is overshot")
    @Outcome(expect = FORBIDDEN, desc = "nobody runs, or one of the two is lost")
    @State
    public static class TwoArrivals {
        private final Scene scene = new Scene(1, 1);
        private final Scene.Call one = scene.call(0);
        private final Scene.Call other = scene.call(0);

        @Actor
        public void one() {
            one.submit();
        }

        @Actor
        public void other() {
            other.submit();
        }

        @Arbiter
        public void count(IIJ_Result r) {
            r.r1 = scene.inFlight.get();
            r.r2 = (one.refused == null ? 0 : 1) + (other.refused == null ? 0 : 1);
            r.r3 = scene.waiting(0);
        }
    }

    /** The process stops while a request comes. */
    @JCStressTest
    @Outcome(id = {"1, 1, 1", "1, 0, 0"}, expect = ACCEPTABLE, desc = "dispatched before, or sent away")
    @Outcome(id = "0, .*", expect = FORBIDDEN, desc = "it hangs: nobody ever tells it")
    @Outcome(expect = FORBIDDEN, desc = "told twice, or a charge that nobody holds")
    @State
    public static class ShutdownOrArrival {
        private final Scene scene = new Scene(1, 1);
        private final Scene.Call call = scene.call(0);

        @Actor
        public void stop() {
            scene.controller.shutdown();
        }

        @Actor
        public void come() {
            call.submit();
        }

        @Arbiter
        public void count(III_Result r) {
            r.r1 = call.heard.get();
            r.r2 = call.dispatched;
            r.r3 = scene.inFlight.get();
        }
    }

    /** A band is not wanted any more while a request for it comes. */
    @JCStressTest
    @Outcome(id = "1, 8, 1", expect = ACCEPTABLE, desc = "its own band took it")
    @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "its band was gone: band 0 took it")
    @Outcome(id = "0, .*", expect = FORBIDDEN, desc = "it waits in a band that nobody serves")
    @Outcome(expect = FORBIDDEN, desc = "dispatched twice")
    @State
    public static class BandGoesOrArrival {
        private final Scene scene = new Scene(1, 1);
        private final Scene.Call call = scene.call(8);

        public BandGoesOrArrival() {
            scene.controller.provision(Set.of(8));
        }

        @Actor
        public void unwant() {
            scene.controller.provision(Set.of());
        }

        @Actor
        public void come() {
            call.submit();
        }

        @Arbiter
        public void count(III_Result r) {
            r.r1 = call.dispatched;
            r.r2 = call.band;
            r.r3 = scene.inFlight.get();
        }
    }

    /** One waits and goes while a response reads the headroom. */
    @JCStressTest
    @Outcome(id = {"1, 0", "0, 0"}, expect = ACCEPTABLE, desc = "a count that was, and none at the end")
    @Outcome(expect = FORBIDDEN, desc = "a count that never was, or one that stays")
    @State
    public static class HeadroomRead {
        private final Scene scene = new Scene(1, 0);

        @Actor
        public void comeAndGo() {
            scene.call(0).submit().cancel();
        }

        @Actor
        public void read(JJ_Result r) {
            r.r1 = scene.waiting(0);
        }

        @Arbiter
        public void count(JJ_Result r) {
            r.r2 = scene.waiting(0);
        }
    }
}
