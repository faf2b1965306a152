package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.GateOn;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** 100 000 waiting requests in 8 bands and 10 000 flows. */
class ScaleTest {

    private static final int WAITING = 100_000;
    private static final int BANDS = 8;
    private static final int FLOWS = 10_000;
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final int PER_MILLI = 1000;

    private final Rig rig = new Rig(config());
    /** In the order in which they heard; a request's number is its place in the order of arrival. */
    private final List<Integer> expired = new ArrayList<>();

    @Test
    void theOldestExpireFirstEachAtTheTickThatItIsDue() {
        arrive();

        // The first came at 0 ms, the last at 99 ms; ticks come each 10 ms.
        rig.tickAfter(TTL.minusMillis(100).minusNanos(1));
        assertThat(expired).isEmpty();
        rig.tickAfter(Duration.ofNanos(1));
        for (int millis = 0; millis < 110; millis += 10) {
            int due = Math.min(WAITING, (millis + 1) * PER_MILLI);
            assertThat(expired).as("after %d ms", millis).hasSize(due);
            assertThat(expired.subList(Math.max(0, due - 10 * PER_MILLI), due)).allMatch(number -> number < due);
            rig.tickAfter(Duration.ofMillis(10));
        }
        assertThat(expired).hasSize(WAITING).doesNotHaveDuplicates();
    }

    @Test
    void aPoolThatGoesAndComesBackGivesEveryoneAFullBudgetAnew() {
        arrive();
        Duration halfway = TTL.minusMillis(200);

        rig.clock.advance(halfway);
        rig.pool = FakeEndpoint.pool();
        rig.controller.tick();
        rig.tickAfter(TTL);
        rig.pool = FakeEndpoint.pool(rig.endpoint);
        rig.controller.tick();
        rig.tickAfter(TTL.minusNanos(1));
        assertThat(expired).isEmpty();

        rig.tickAfter(Duration.ofNanos(1));
        assertThat(expired).hasSize(WAITING);
    }

    private static FlowControlConfig config() {
        List<BandConfig> bands = new ArrayList<>();
        for (int priority = 0; priority < BANDS; priority++) {
            bands.add(Rig.band(priority, WAITING));
        }
        return new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, TTL.toNanos(), 2 * TTL.toNanos(),
                bands.get(0), null, bands, GateOn.MAX);
    }

    private void arrive() {
        for (int i = 0; i < WAITING; i++) {
            TestRequest request = TestRequest.of("tenant-" + i % FLOWS, i % BANDS);
            rig.controller.submit(request, new Numbered(i), Runnable::run);
            if (i % PER_MILLI == PER_MILLI - 1) {
                rig.clock.advanceMillis(1);
            }
        }
    }

    private final class Numbered implements AdmissionListener {

        private final int number;

        Numbered(int number) {
            this.number = number;
        }

        @Override
        public void onDispatched(FlowKey effective, Lease lease, long waitedNanos) {
            throw new AssertionError("dispatched");
        }

        @Override
        public void onPassed(Lease lease) {
            throw new AssertionError("passed");
        }

        @Override
        public void onRefused(RejectReason reason, int retryAfterSeconds) {
            assertThat(reason).isEqualTo(RejectReason.TTL_EXPIRED);
            expired.add(number);
        }

        @Override
        public void onEvicted() {
            throw new AssertionError("evicted");
        }
    }
}
