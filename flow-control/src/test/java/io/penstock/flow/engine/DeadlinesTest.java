package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.HeldExecutor;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Deadlines through changes of regime and of budgets: exact, whenever they are moved, and never all at once. */
class DeadlinesTest {

    private static final PoolView EMPTY = PoolView.EMPTY;

    /** The rule of spec/flow-control section 3.3, written down plainly. */
    private static final class Model {

        private record Waiting(Rig.Sent sent, int band, long own, long since) {
        }

        private final List<Waiting> waiting = new ArrayList<>();
        private final long[] band = {3_000, 400};
        private long noEndpoints = 1_500;
        private long flippedAt = Long.MIN_VALUE;
        private boolean empty;
        private long now;

        boolean due(Waiting each) {
            long saturated = each.own == 0 ? band[each.band] : band[each.band] == 0 ? each.own : Math.min(band[each.band], each.own);
            long budget = empty ? noEndpoints : saturated;
            return budget > 0 && now >= Math.max(each.since, flippedAt) + budget;
        }
    }

    @Test
    void everyRequestExpiresOnTheFirstTickAtOrAfterItsDeadlineWhateverFlipsOrIsReloaded() {
        for (int seed = 0; seed < 60; seed++) {
            run(new Random(seed));
        }
    }

    private static void run(Random random) {
        Model model = new Model();
        Rig rig = new Rig(config(model));
        for (int step = 0; step < 500; step++) {
            int what = random.nextInt(20);
            if (what < 9) {
                // Now and then very many at once, so that moving them takes more than one step.
                int count = random.nextInt(60) == 0 ? 500 : 1;
                for (int i = 0; i < count; i++) {
                    int band = random.nextInt(2);
                    long own = random.nextInt(3) == 0 ? 1 + random.nextInt(6_000) : 0;
                    Rig.Sent sent = rig.send(TestRequest.of("f" + random.nextInt(5), band).ttl(Duration.ofMillis(own)));
                    model.waiting.add(new Model.Waiting(sent, band, own, model.now));
                }
            } else if (what == 9 && !model.waiting.isEmpty()) {
                model.waiting.remove(random.nextInt(model.waiting.size())).sent().ticket().cancel();
            } else if (what == 10) {
                long[] some = {0, 1, 200, 1_000, 5_000, 30_000};
                model.band[random.nextInt(2)] = some[random.nextInt(some.length)];
                model.noEndpoints = some[random.nextInt(some.length)];
                rig.reconfigure(config(model));
                // The reload's own decision sees the deadlines as they are now, the tick below what is due.
            } else if (what < 13) {
                model.empty = !model.empty;
                model.flippedAt = model.now;
                rig.pool = model.empty ? EMPTY : FakeEndpoint.pool(rig.endpoint);
                rig.controller.tick();
            } else {
                long gap = random.nextInt(20) == 0 ? random.nextInt(15_000) : random.nextInt(60);
                model.now += gap;
                rig.clock.advanceMillis(gap);
            }
            rig.controller.tick();
            check(rig, model);
        }
    }

    private static void check(Rig rig, Model model) {
        for (Model.Waiting each : List.copyOf(model.waiting)) {
            if (model.due(each)) {
                assertThat(each.sent().listener().refused()).isEqualTo(model.empty ? RejectReason.NO_ENDPOINTS : RejectReason.TTL_EXPIRED);
                model.waiting.remove(each);
            } else {
                assertThat(each.sent().listener().outcomes()).isZero();
            }
        }
        assertThat(rig.waiting(0) + rig.waiting(1)).isEqualTo(model.waiting.size());
    }

    private static FlowControlConfig config(Model model) {
        List<BandConfig> bands = List.of(band(0, model.band[0]), band(1, model.band[1]));
        return new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, 0, model.noEndpoints * 1_000_000,
                bands.get(0), null, bands, GateOn.MAX);
    }

    private static BandConfig band(int priority, long ttlMillis) {
        return new BandConfig(priority, CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, ttlMillis * 1_000_000,
                BandConfig.GLOBAL_STRICT, BandConfig.FCFS);
    }

    @Test
    void aFlipAndAMassExpiryAreWorkOfManyShortTurns() {
        int count = 50_000;
        Rig rig = new Rig(new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, 60_000_000_000L,
                5_000_000_000L, band(0, 60_000), null, List.of(), GateOn.MAX));
        Rig.Sent[] sent = new Rig.Sent[count];
        Arrays.setAll(sent, i -> rig.send(TestRequest.of("f" + i % 1000, 0)));
        HeldExecutor loop = new HeldExecutor();
        rig.controller.register(loop);
        int least = count / (Deadlines.PART * Combiner.TURN);
        rig.pool = EMPTY;
        rig.tickAfter(Duration.ofMillis(10));
        assertThat(turns(loop)).as("the flip").isGreaterThanOrEqualTo(least).isLessThan(2 * least + 4);
        rig.tickAfter(Duration.ofMillis(10));
        assertThat(turns(loop)).as("nothing is left of it").isZero();
        rig.tickAfter(Duration.ofMillis(4989));
        turns(loop);
        assertThat(rig.waiting(0)).isEqualTo(count);
        rig.tickAfter(Duration.ofMillis(1));
        assertThat(turns(loop)).as("the expiry").isGreaterThanOrEqualTo(least).isLessThan(2 * least + 4);
        assertThat(rig.waiting(0)).isZero();
        assertThat(sent).allMatch(each -> each.listener().refused() == RejectReason.NO_ENDPOINTS);
    }

    @Test
    void aMassCancellationIsWorkOfManyShortTurnsAndFreesEveryPlaceAtOnce() {
        int count = 50_000;
        Rig rig = new Rig(Rig.config(band(0, 0), List.of()));
        Rig.Sent[] sent = new Rig.Sent[count];
        Arrays.setAll(sent, i -> rig.send(TestRequest.of("f" + i % 1000, 0)));
        HeldExecutor loop = new HeldExecutor();
        rig.controller.register(loop);
        // Held inside a turn of the drainer, as a burst of resets on other loops is.
        rig.placement.beforeReturn(() -> {
            if (rig.waiting(0) == count) {
                for (Rig.Sent each : sent) {
                    each.ticket().cancel();
                }
                assertThat(rig.waiting(0)).isZero();
            }
        });
        rig.open();
        assertThat(rig.controller.band(0).queues.waiting()).as("not swept by one decision").isGreaterThan(count / 2);
        assertThat(turns(loop)).isBetween(count / (64 * Combiner.TURN), 20);
        assertThat(rig.controller.band(0).queues.waiting()).isZero();
        assertThat(rig.placement.open()).isZero();
    }

    /** Runs the turns that were handed over, one after the other, and counts them. */
    private static int turns(HeldExecutor loop) {
        int count = 0;
        while (loop.size() > 0) {
            assertThat(loop.size()).isOne();
            loop.runOne();
            count++;
        }
        return count;
    }
}
