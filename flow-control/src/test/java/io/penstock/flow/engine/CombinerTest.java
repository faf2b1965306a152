package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.testkit.HeldExecutor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class CombinerTest {

    @Test
    void aSignalFromInsideAStepIsAnsweredByTheSameDrainer() {
        AtomicInteger steps = new AtomicInteger();
        AtomicReference<Combiner> self = new AtomicReference<>();
        Combiner combiner = new Combiner(new Steps(changed -> {
            if (steps.incrementAndGet() < 5) {
                self.get().signal();
            }
            return false;
        }));
        self.set(combiner);
        combiner.signal();
        assertThat(steps).hasValue(5);
        assertThat(combiner.pending()).isZero();
    }

    @Test
    void aStepIsToldWhetherAnythingWasSignalled() {
        StringBuilder seen = new StringBuilder();
        AtomicReference<Combiner> self = new AtomicReference<>();
        Combiner combiner = new Combiner(new Steps(changed -> {
            seen.append(changed ? 'c' : '-');
            if (seen.length() == 2) {
                self.get().signal();
            }
            return seen.length() < 4;
        }));
        self.set(combiner);
        combiner.signal();
        assertThat(seen).hasToString("c-c-");
    }

    @Test
    void aThrowingStepGivesTheWordBackAlsoWhenTellingThrows() {
        AtomicInteger steps = new AtomicInteger();
        Combiner combiner = new Combiner(new Combiner.Work() {
            @Override
            public boolean step(boolean changed) {
                steps.incrementAndGet();
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void failed(Throwable cause) {
                throw new IllegalStateException("again");
            }
        });
        combiner.signal();
        combiner.signal();
        assertThat(steps).hasValue(2);
        assertThat(combiner.pending()).isZero();
    }

    @Test
    void signalsThatNeverEndAreHandedOnAsWell() {
        AtomicInteger steps = new AtomicInteger();
        AtomicReference<Combiner> self = new AtomicReference<>();
        Combiner combiner = new Combiner(new Steps(changed -> {
            if (steps.incrementAndGet() < 1000) {
                self.get().signal();
            }
            return false;
        }));
        self.set(combiner);
        HeldExecutor loop = new HeldExecutor();
        combiner.register(loop);
        combiner.signal();
        assertThat(steps).hasValue(Combiner.TURN);
        loop.runAll();
        assertThat(steps).hasValue(1000);
        assertThat(combiner.pending()).isZero();
    }

    @Test
    void noSignalIsEverLostAndNoTwoStepsRunAtOnce() throws Exception {
        int signallers = 4;
        int each = 50_000;
        AtomicInteger posted = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        int[] taken = {0};
        ExecutorService threads = Executors.newFixedThreadPool(signallers);
        try {
            Combiner combiner = new Combiner(new Steps(changed -> {
                if (inside.incrementAndGet() != 1) {
                    overlaps.incrementAndGet();
                }
                // Plain state of the drainer: takes one of what was posted.
                boolean any = posted.get() > taken[0];
                if (any) {
                    taken[0]++;
                }
                inside.decrementAndGet();
                return any;
            }));
            combiner.register(threads);
            CountDownLatch done = new CountDownLatch(signallers);
            for (int i = 0; i < signallers; i++) {
                threads.execute(() -> {
                    for (int n = 0; n < each; n++) {
                        posted.incrementAndGet();
                        combiner.signal();
                    }
                    done.countDown();
                });
            }
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            Awaitility.await().until(() -> combiner.pending() == 0);
            assertThat(taken[0]).isEqualTo(signallers * each);
            assertThat(overlaps).hasValue(0);
        } finally {
            threads.shutdownNow();
        }
    }

    private interface Step {

        boolean run(boolean changed);
    }

    private record Steps(Step step) implements Combiner.Work {

        @Override
        public boolean step(boolean changed) {
            return step.run(changed);
        }

        @Override
        public void failed(Throwable cause) {
            throw new AssertionError(cause);
        }
    }
}
