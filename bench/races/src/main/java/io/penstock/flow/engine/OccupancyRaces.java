package io.penstock.flow.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.penstock.flow.config.BandConfig;
import io.penstock.flow.engine.Occupancy.Reservation;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.ZJJ_Result;
import org.openjdk.jcstress.infra.results.ZZJ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Races for a band's places. Each nested class is one test. */
public final class OccupancyRaces {

    private OccupancyRaces() {
    }

    private static boolean reserve(Occupancy occupancy, long bytes, long maxRequests, long maxBytes) {
        return occupancy.reserve(bytes, maxRequests, maxBytes) == Reservation.ADMITTED;
    }

    /** Two want the last place. */
    @JCStressTest
    @Outcome(id = {"true, false, 1", "false, true, 1"}, expect = ACCEPTABLE, desc = "one has it")
    @Outcome(id = "true, true, .*", expect = FORBIDDEN, desc = "both have it: the limit is overshot")
    @Outcome(id = "false, false, .*", expect = FORBIDDEN, desc = "nobody has it although it is free")
    @Outcome(expect = FORBIDDEN, desc = "the count is not what was admitted")
    @State
    public static class LastPlace {
        private final Occupancy occupancy = new Occupancy();

        @Actor
        public void one(ZZJ_Result r) {
            r.r1 = reserve(occupancy, 1, 1, 100);
        }

        @Actor
        public void other(ZZJ_Result r) {
            r.r2 = reserve(occupancy, 2, 1, 100);
        }

        @Arbiter
        public void count(ZZJ_Result r) {
            r.r3 = Occupancy.requests(occupancy.read());
        }
    }

    /** Two want bytes of which there are enough for one. */
    @JCStressTest
    @Outcome(id = {"true, false, 1, 6", "false, true, 1, 5"}, expect = ACCEPTABLE, desc = "one has them")
    @Outcome(id = "true, true, .*", expect = FORBIDDEN, desc = "both: the limit is overshot")
    @Outcome(expect = FORBIDDEN, desc = "nobody, or the counts are not what was admitted")
    @State
    public static class LastBytes {
        private final Occupancy occupancy = new Occupancy();

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = reserve(occupancy, 6, 100, 10);
        }

        @Actor
        public void other(LLLL_Result r) {
            r.r2 = reserve(occupancy, 5, 100, 10);
        }

        @Arbiter
        public void count(LLLL_Result r) {
            r.r3 = Occupancy.requests(occupancy.read());
            r.r4 = Occupancy.bytes(occupancy.read());
        }
    }

    /** The byte field is at its end: nothing may be carried into the count of requests. */
    @JCStressTest
    @Outcome(id = {"true, false, 1, 1", "false, true, 1, 1099511627775"}, expect = ACCEPTABLE, desc = "one fits")
    @Outcome(expect = FORBIDDEN, desc = "a carry from bytes into requests, or an overshot limit")
    @State
    public static class FieldEnd {
        private final Occupancy occupancy = new Occupancy();

        @Actor
        public void little(LLLL_Result r) {
            r.r1 = reserve(occupancy, 1, BandConfig.MAX_REQUESTS, BandConfig.MAX_BYTES);
        }

        @Actor
        public void everything(LLLL_Result r) {
            r.r2 = reserve(occupancy, BandConfig.MAX_BYTES, BandConfig.MAX_REQUESTS, BandConfig.MAX_BYTES);
        }

        @Arbiter
        public void count(LLLL_Result r) {
            r.r3 = Occupancy.requests(occupancy.read());
            r.r4 = Occupancy.bytes(occupancy.read());
        }
    }

    /** One comes and goes while another looks. */
    @JCStressTest
    @Outcome(id = {"0, 0", "1, 7"}, expect = ACCEPTABLE, desc = "a pair that existed")
    @Outcome(expect = FORBIDDEN, desc = "requests of one moment with bytes of another")
    @State
    public static class PairThatExisted {
        private final Occupancy occupancy = new Occupancy();

        @Actor
        public void comeAndGo() {
            reserve(occupancy, 7, 10, 100);
            occupancy.release(7);
        }

        @Actor
        public void look(JJ_Result r) {
            long word = occupancy.read();
            r.r1 = Occupancy.requests(word);
            r.r2 = Occupancy.bytes(word);
        }
    }

    /** The only place is given back while another wants it. */
    @JCStressTest
    @Outcome(id = {"true, 1, 5", "false, 0, 0"}, expect = ACCEPTABLE, desc = "before or after")
    @Outcome(expect = FORBIDDEN, desc = "a place lost or made")
    @State
    public static class GivenBack {
        private final Occupancy occupancy = new Occupancy();

        public GivenBack() {
            reserve(occupancy, 3, 1, 5);
        }

        @Actor
        public void giveBack() {
            occupancy.release(3);
        }

        @Actor
        public void want(ZJJ_Result r) {
            r.r1 = reserve(occupancy, 5, 1, 5);
        }

        @Arbiter
        public void count(ZJJ_Result r) {
            r.r2 = Occupancy.requests(occupancy.read());
            r.r3 = Occupancy.bytes(occupancy.read());
        }
    }

    /** A band is removed while a request comes. */
    @JCStressTest
    @Outcome(id = {"true, false", "false, true"}, expect = ACCEPTABLE, desc = "removed empty, or kept for the request")
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "a request waits in a band that is gone")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "neither")
    @State
    public static class Removed {
        private final Occupancy occupancy = new Occupancy();

        @Actor
        public void remove(ZZ_Result r) {
            r.r1 = occupancy.close();
        }

        @Actor
        public void come(ZZ_Result r) {
            r.r2 = reserve(occupancy, 1, 10, 100);
        }
    }
}
