package io.penstock.flow.engine;

import static io.penstock.flow.RejectReason.INTERNAL;
import static io.penstock.flow.RejectReason.NO_ENDPOINTS;
import static io.penstock.flow.RejectReason.SATURATED;
import static io.penstock.flow.RejectReason.SHUTTING_DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.FlowController;
import io.penstock.flow.PoolView;
import io.penstock.flow.Ticket;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.FakePlacement;
import io.penstock.flow.testkit.Gate;
import io.penstock.flow.testkit.HeldExecutor;
import io.penstock.flow.testkit.ManualClock;
import io.penstock.flow.testkit.RecordingEvents;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import org.junit.jupiter.api.Test;

/** Flow control switched off: spec/flow-control section 8. */
class SheddingControllerTest {

    private final FakeEndpoint endpoint = new FakeEndpoint("e1");
    private final Gate gate = Gate.opened();
    private final RecordingEvents events = new RecordingEvents();
    private final FakePlacement placement = new FakePlacement(() -> this.pool);
    private volatile PoolView pool = FakeEndpoint.pool(endpoint);
    private final FlowController controller = FlowControllers.shedding(
            Collaborators.of(gate, placement, () -> pool, new ManualClock()).withEvents(events));

    @Test
    void priorityZeroAndAbovePassesASaturatedPool() {
        gate.set(7.0);
        assertThat(send(0).passed()).isTrue();
        assertThat(send(5).passed()).isTrue();
    }

    @Test
    void aSheddableRequestPassesBelowOneAndIsRefusedFromOneOn() {
        gate.set(Math.nextDown(1.0));
        assertThat(send(-1).passed()).isTrue();
        gate.set(1.0);
        assertThat(send(-1).refused()).isEqualTo(SATURATED);
    }

    @Test
    void anEmptyPoolIsNoEndpointsForMostAndSaturatedForTheSheddable() {
        pool = PoolView.EMPTY;
        gate.set(1.0);
        assertThat(send(0).refused()).isEqualTo(NO_ENDPOINTS);
        assertThat(send(-1).refused()).isEqualTo(SATURATED);
    }

    @Test
    void aPlacementThatFindsEverythingFullIsSaturated() {
        placement.limit(1);
        assertThat(send(0).passed()).isTrue();
        assertThat(send(0).refused()).isEqualTo(SATURATED);
    }

    @Test
    void aPassedRequestIsNotAdmittedAndHasNoBand() {
        RecordingListener sent = send(3);
        assertThat(sent.dispatched()).isFalse();
        assertThat(sent.outcomes()).isOne();
        assertThat(controller.capacity().capacitySnapshot(0)).isNull();
        assertThat(controller.bands()).isEmpty();
        assertThat(events.waiting()).as("no flow-control series").isZero();
    }

    @Test
    void aCancelBeforeTheListenerRanComesTooLate() {
        HeldExecutor loop = new HeldExecutor();
        RecordingListener listener = new RecordingListener();
        Ticket ticket = controller.submit(TestRequest.in(0), listener, loop);
        assertThat(ticket.cancel()).isFalse();
        loop.runAll();
        assertThat(listener.passed()).isTrue();
    }

    @Test
    void aReplayIsNotShed() {
        RecordingListener first = new RecordingListener();
        Ticket ticket = controller.submit(TestRequest.in(-1), first, Runnable::run);
        gate.close();
        RecordingListener again = new RecordingListener();
        controller.resubmit(ticket, TestRequest.in(-1), again, Runnable::run);
        assertThat(again.passed()).isTrue();
    }

    @Test
    void brokenCollaboratorsRefuseAndAreCounted() {
        placement.beforeReturn(() -> {
            throw new IllegalStateException("on purpose");
        });
        assertThat(send(0).refused()).isEqualTo(INTERNAL);
        assertThat(events.failures()).containsExactly("placement");
    }

    @Test
    void anOwnerThatRefusesGivesItsChargeBack() {
        HeldExecutor stopped = new HeldExecutor();
        stopped.refuse();
        controller.submit(TestRequest.in(0), new RecordingListener(), stopped);
        assertThat(placement.placed()).isOne();
        assertThat(placement.open()).isZero();
    }

    @Test
    void aShutdownRefusesWhatComes() {
        controller.shutdown();
        assertThat(send(0).refused()).isEqualTo(SHUTTING_DOWN);
    }

    @Test
    void theTickRefreshesTheSaturation() {
        gate.set(0.25);
        controller.tick();
        assertThat(controller.saturation().effective()).isEqualTo(0.25);
        assertThat(controller.saturation().decode()).isNull();
    }

    private RecordingListener send(int priority) {
        RecordingListener listener = new RecordingListener();
        controller.submit(TestRequest.in(priority), listener, Runnable::run);
        return listener;
    }
}
