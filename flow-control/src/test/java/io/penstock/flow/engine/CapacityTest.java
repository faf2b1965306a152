package io.penstock.flow.engine;

import static io.penstock.flow.RejectReason.NO_ENDPOINTS;
import static io.penstock.flow.RejectReason.SATURATED;
import static io.penstock.flow.RejectReason.TTL_EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import io.penstock.flow.Outcome;
import io.penstock.flow.PoolView;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Limits and refusals: spec/flow-control section 12, cases 1 to 9, and FC-07. */
class CapacityTest {

    @Test
    void theRequestThatFillsTheBandIsAdmittedAndTheNextIsNot() {
        Rig rig = Rig.bands(3, 0);
        assertThat(rig.send(3, 0)).allMatch(sent -> sent.listener().outcomes() == 0);
        Rig.Sent fourth = rig.send(0);
        assertThat(fourth.listener().refused()).isEqualTo(SATURATED);
        assertThat(fourth.listener().outcomes()).isOne();
        assertThat(rig.events.count(Outcome.REJECTED_CAPACITY)).isOne();
    }

    @Test
    void threeRequestsOf300BytesFitIntoAThousandAndTheFourthDoesNot() {
        Rig rig = new Rig(Rig.config(new BandConfig(0, 100, 1000, BandConfig.INHERIT, BandConfig.GLOBAL_STRICT, BandConfig.FCFS),
                List.of()));
        for (int i = 0; i < 3; i++) {
            assertThat(rig.send(TestRequest.in(0).bytes(300)).listener().outcomes()).isZero();
        }
        assertThat(rig.send(TestRequest.in(0).bytes(300)).listener().refused()).isEqualTo(SATURATED);
        assertThat(rig.send(TestRequest.in(0).bytes(100)).listener().outcomes()).isZero();
        assertThat(rig.controller.bands().get(0).bytes()).isEqualTo(1000);
    }

    @Test
    void aRequestLargerThanTheBandIsRefusedThoughTheBandIsEmpty() {
        Rig rig = Rig.bands(10, 0);
        assertThat(rig.send(TestRequest.in(0).bytes(BandConfig.DEFAULT_MAX_BYTES + 1)).listener().refused()).isEqualTo(SATURATED);
        assertThat(rig.send(TestRequest.in(0).bytes(Long.MAX_VALUE)).listener().refused()).isEqualTo(SATURATED);
    }

    @Test
    void theGlobalLimitOfThreeRefusesTheFourthOfALargerBand() {
        Rig rig = new Rig(global(3, CapacitySnapshot.UNBOUNDED));
        rig.send(2, 5);
        rig.send(1, 0);
        assertThat(rig.send(0).listener().refused()).isEqualTo(SATURATED);
        assertThat(rig.send(5).listener().refused()).isEqualTo(SATURATED);
        assertThat(rig.waiting(0)).as("given back").isEqualTo(1);
        assertThat(rig.waiting(5)).as("given back").isEqualTo(2);
    }

    @Test
    void theGlobalByteLimitCountsOverAllBands() {
        Rig rig = new Rig(global(CapacitySnapshot.UNBOUNDED, 1000));
        rig.send(TestRequest.in(5).bytes(600));
        assertThat(rig.send(TestRequest.in(0).bytes(401)).listener().refused()).isEqualTo(SATURATED);
        assertThat(rig.send(TestRequest.in(0).bytes(400)).listener().outcomes()).isZero();
    }

    @Test
    void theGlobalPlaceIsFreeAgainAfterDispatchCancelAndExpiry() {
        Rig rig = new Rig(global(2, CapacitySnapshot.UNBOUNDED));
        rig.send(0).ticket().cancel();
        rig.send(2, 0);
        rig.tickAfter(Duration.ofSeconds(60));
        rig.gate.open();
        assertThat(rig.send(20, 0)).allMatch(sent -> sent.listener().dispatched());
    }

    @Test
    void aFullBandDoesNotDisturbAnother() {
        Rig rig = Rig.bands(1, 0, 5);
        rig.send(3, 5);
        assertThat(rig.send(0).listener().outcomes()).isZero();
    }

    @Test
    void overflowOfAnEmptyPoolSaysNoEndpoints() {
        Rig rig = Rig.bands(1, 0);
        rig.pool = PoolView.EMPTY;
        rig.send(0);
        assertThat(rig.send(0).listener().refused()).isEqualTo(NO_ENDPOINTS);
        assertThat(rig.events.count(Outcome.REJECTED_NO_ENDPOINTS)).isOne();
    }

    @Test
    void aCancelledRequestStopsCountingAtOnce() {
        Rig rig = Rig.bands(1, 0);
        Rig.Sent first = rig.send(0);
        assertThat(first.ticket().cancel()).isTrue();
        assertThat(rig.waiting(0)).isZero();
        assertThat(rig.send(0).listener().outcomes()).isZero();
    }

    @Test
    void ofFiftyArrivalsTwoRunTenWaitAndTheRestIsRefusedAtOnce() {
        Rig rig = Rig.bands(10, 0);
        rig.placement.limit(2);
        rig.gate.open();
        List<Rig.Sent> sent = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sent.add(rig.send(TestRequest.in(0).ttl(Duration.ofSeconds(1))));
        }
        assertThat(sent.subList(0, 2)).allMatch(each -> each.listener().dispatched());
        assertThat(sent.subList(2, 12)).allMatch(each -> each.listener().outcomes() == 0);
        assertThat(sent.subList(12, 50)).allMatch(each -> each.listener().refused() == SATURATED);
        rig.tickAfter(Duration.ofSeconds(1));
        assertThat(sent.subList(2, 12)).allMatch(each -> each.listener().refused() == TTL_EXPIRED);
        assertThat(rig.placement.open()).as("a slot is free when its lease is closed, not before").isEqualTo(2);
    }

    @Test
    void aNegativeSizeCountsAsNothing() {
        Rig rig = Rig.bands(10, 0);
        rig.send(TestRequest.in(0).bytes(-5));
        assertThat(rig.controller.bands().get(0).bytes()).isZero();
        rig.open();
        assertThat(rig.waiting(0)).isZero();
    }

    @Test
    void theViewListsBandsHighestFirstWithTheirFlows() {
        Rig rig = Rig.bands(10, -1, 7);
        rig.send(TestRequest.of("a", 7));
        rig.send(TestRequest.of("b", 7));
        rig.send(TestRequest.of("b", 7));
        rig.clock.advanceMillis(30);
        List<BandView> bands = rig.controller.bands();
        assertThat(bands).extracting(BandView::priority).containsExactly(7, 0, -1);
        BandView seven = bands.get(0);
        assertThat(seven.requests()).isEqualTo(3);
        assertThat(seven.flowCount()).isEqualTo(2);
        assertThat(seven.flows()).containsExactly(new BandView.FlowView("b", 2), new BandView.FlowView("a", 1));
        assertThat(seven.oldestWaitNanos()).isEqualTo(30_000_000);
        assertThat(bands.get(1).oldestWaitNanos()).isZero();
    }

    @Test
    void theViewListsAtMostAHundredFlows() {
        Rig rig = Rig.bands(1000, 0);
        for (int i = 0; i < 150; i++) {
            rig.send(TestRequest.of("f" + i, 0));
        }
        assertThat(rig.controller.bands().get(0).flowCount()).isEqualTo(150);
        assertThat(rig.controller.bands().get(0).flows()).hasSize(100);
    }

    @Test
    void totalsTellDispatchedFromRejectedAndLeaveOutTheCancelled() {
        Rig rig = Rig.bands(4, 0);
        rig.send(5, 0).get(0).ticket().cancel();
        rig.send(TestRequest.in(0).ttl(Duration.ofMillis(5)));
        rig.tickAfter(Duration.ofMillis(5));
        rig.open();
        BandView band = rig.controller.bands().get(0);
        assertThat(band.dispatchedTotal()).isEqualTo(3);
        assertThat(band.rejectedTotal()).isEqualTo(2);
        assertThat(rig.events.waiting()).isZero();
        assertThat(rig.events.waitingBytes()).isZero();
    }

    private static FlowControlConfig global(long maxRequests, long maxBytes) {
        return new FlowControlConfig(maxRequests, maxBytes, FlowControlConfig.DEFAULT_TTL_NANOS, FlowControlConfig.DEFAULT_TTL_NANOS,
                Rig.band(0, 10), null, List.of(Rig.band(5, 10)), GateOn.MAX);
    }
}
