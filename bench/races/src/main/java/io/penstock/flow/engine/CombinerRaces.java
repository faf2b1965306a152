package io.penstock.flow.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.LLLL_Result;

/** Races for the drainer's word. Each nested class is one test. */
public final class CombinerRaces {

    private CombinerRaces() {
    }

    /** Notes what it finds each time, in plain fields: the word alone makes them safe. Steps twice for each signal. */
    private static final class Note implements Combiner.Work {
        int one;
        int other;
        int seenOne;
        int seenOther;
        int overlaps;
        private int inside;
        private boolean again;

        @Override
        public boolean step(boolean changed) {
            overlaps += inside++;
            seenOne = one;
            seenOther = other;
            inside--;
            again = changed && !again;
            return again;
        }

        @Override
        public void failed(Throwable cause) {
            overlaps = -1;
        }
    }

    /** Two change something and say so. */
    @JCStressTest
    @Outcome(id = "1, 1, 0, 0", expect = ACCEPTABLE, desc = "both changes were seen, by one drainer at a time")
    @Outcome(id = {"0, .*", "1, 0, .*"}, expect = FORBIDDEN, desc = "a signal was lost")
    @Outcome(id = "1, 1, [^0].*", expect = FORBIDDEN, desc = "two drainers at once")
    @Outcome(id = "1, 1, 0, [^0].*", expect = FORBIDDEN, desc = "the word was never given back")
    @State
    public static class WakeUp {
        private final Note note = new Note();
        private final Combiner combiner = new Combiner(note);

        @Actor
        public void one() {
            note.one = 1;
            combiner.signal();
        }

        @Actor
        public void other() {
            note.other = 1;
            combiner.signal();
        }

        @Arbiter
        public void look(LLLL_Result r) {
            r.r1 = note.seenOne;
            r.r2 = note.seenOther;
            r.r3 = note.overlaps;
            r.r4 = combiner.pending();
        }
    }

    /** Two signal twice, and each step adds one to a plain counter: none of it may be lost from one drainer to the next. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "every step counted, and at rest")
    @Outcome(id = "[^0].*", expect = FORBIDDEN, desc = "two drainers, or one that did not see what the one before it wrote")
    @Outcome(expect = FORBIDDEN, desc = "the word was not given back")
    @State
    public static class OneAtATime {
        private final LongAdder steps = new LongAdder();
        private long counted;
        private final Combiner combiner = new Combiner(new Combiner.Work() {
            @Override
            public boolean step(boolean changed) {
                counted++;
                steps.increment();
                return false;
            }

            @Override
            public void failed(Throwable cause) {
                counted = Long.MIN_VALUE;
            }
        });

        @Actor
        public void one() {
            combiner.signal();
            combiner.signal();
        }

        @Actor
        public void other() {
            combiner.signal();
            combiner.signal();
        }

        @Arbiter
        public void look(JJ_Result r) {
            r.r1 = steps.sum() - counted;
            r.r2 = combiner.pending();
        }
    }
}
