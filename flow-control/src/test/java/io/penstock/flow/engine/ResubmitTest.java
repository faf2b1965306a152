package io.penstock.flow.engine;

import static io.penstock.flow.RejectReason.SHUTTING_DOWN;
import static io.penstock.flow.RejectReason.TTL_EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.Ticket;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A request whose endpoint failed before it could work waits again, at the head of its band. */
class ResubmitTest {

    private final FakeEndpoint other = new FakeEndpoint("e2");
    private final Rig rig = Rig.bands(2, 0, 5);
    private final TestRequest replay = TestRequest.in(0).excluding("e1");

    @Test
    void itGoesBeforeEverythingThatWaitsInItsBandAndTakesNoRoom() {
        Rig.Sent first = dispatched(0);
        rig.gate.close();
        rig.send(2, 0);
        rig.pool = FakeEndpoint.pool(rig.endpoint, other);
        Rig.Sent again = rig.again(first, replay);
        assertThat(rig.waiting(0)).isEqualTo(2);
        other.requests(1);
        rig.endpoint.requests(2);
        rig.placement.limit(2);
        rig.open();
        assertThat(again.listener().lease().endpoint()).isSameAs(other);
        assertThat(rig.waiting(0)).isEqualTo(2);
    }

    @Test
    void itWaitsForAnotherEndpointAndLetsOthersPass() {
        Rig.Sent first = dispatched(0);
        Rig.Sent again = rig.again(first, replay);
        assertThat(again.listener().outcomes()).isZero();
        assertThat(rig.send(0).listener().dispatched()).isTrue();
        rig.pool = FakeEndpoint.pool(rig.endpoint, other);
        rig.controller.signal();
        assertThat(again.listener().lease().endpoint()).isSameAs(other);
    }

    @Test
    void itKeepsItsSubmissionTimeAndItsBudget() {
        Rig.Sent first = dispatched(0);
        rig.clock.advance(Duration.ofSeconds(30));
        Rig.Sent again = rig.again(first, replay);
        rig.tickAfter(Duration.ofSeconds(30).minusNanos(1));
        assertThat(again.listener().outcomes()).isZero();
        rig.tickAfter(Duration.ofNanos(1));
        assertThat(again.listener().refused()).isEqualTo(TTL_EXPIRED);
    }

    @Test
    void oneThatIsSentAwayAfterAllCountsAsRejectedByItsBandAndIsToldOnce() {
        Rig.Sent first = dispatched(0);
        rig.again(first, replay);
        rig.tickAfter(Duration.ofSeconds(60));
        assertThat(rig.controller.bands().get(1).rejectedTotal()).isOne();
        assertThat(rig.controller.bands().get(1).dispatchedTotal()).isOne();
        assertThat(rig.events.count(Outcome.EVICTED_TTL)).isZero();
        Rig.Sent cancelled = rig.again(dispatched(0), replay);
        assertThat(cancelled.ticket().cancel()).isTrue();
        assertThat(rig.controller.bands().get(1).rejectedTotal()).as("its client gave up").isOne();
    }

    @Test
    void itIsCountedOnceAsDispatched() {
        Rig.Sent first = dispatched(0);
        rig.pool = FakeEndpoint.pool(rig.endpoint, other);
        assertThat(rig.again(first, replay).listener().dispatched()).isTrue();
        assertThat(rig.events.count(Outcome.DISPATCHED)).isOne();
        assertThat(rig.events.waiting()).isZero();
        assertThat(rig.controller.bands().get(1).dispatchedTotal()).isOne();
    }

    @Test
    void itKeepsTheFlowThatAdmittedItAlsoWhenItsBandHasGoneOrCome() {
        rig.controller.provision(Set.of(8));
        Rig.Sent inEight = dispatched(8);
        Rig.Sent fellBack = dispatched(9);
        rig.controller.provision(Set.of(9));
        assertThat(rig.controller.band(8)).isNull();
        rig.pool = FakeEndpoint.pool(rig.endpoint, other);
        assertThat(rig.again(inEight, replay).listener().effective()).isEqualTo(new FlowKey("default-flow", 8));
        assertThat(rig.again(fellBack, replay).listener().effective()).isEqualTo(new FlowKey("default-flow", 0));
    }

    @Test
    void theBandWaitsForItBeforeItGoes() {
        rig.controller.provision(Set.of(8));
        Rig.Sent first = dispatched(8);
        Rig.Sent again = rig.again(first, replay);
        rig.controller.provision(Set.of());
        assertThat(rig.controller.band(8)).isNotNull();
        assertThat(again.ticket().cancel()).isTrue();
        rig.controller.tick();
        assertThat(rig.controller.band(8)).isNull();
        assertThat(again.listener().outcomes()).isZero();
    }

    @Test
    void theOldestGoesFirst() {
        Rig.Sent older = dispatched(0);
        rig.clock.advanceMillis(1);
        Rig.Sent newer = dispatched(0);
        Rig.Sent newerAgain = rig.again(newer, replay);
        Rig.Sent olderAgain = rig.again(older, replay);
        rig.pool = FakeEndpoint.pool(rig.endpoint, other);
        rig.endpoint.requests(0);
        rig.placement.limit(1);
        rig.controller.signal();
        assertThat(olderAgain.listener().dispatched()).isTrue();
        assertThat(newerAgain.listener().outcomes()).isZero();
    }

    @Test
    void aShutdownSettlesIt() {
        Rig.Sent first = dispatched(0);
        Rig.Sent again = rig.again(first, replay);
        rig.controller.shutdown();
        assertThat(again.listener().refused()).isEqualTo(SHUTTING_DOWN);
        assertThat(rig.again(first, replay).listener().refused()).isEqualTo(SHUTTING_DOWN);
    }

    @Test
    void onlyADispatchedTicketOfThisControllerCanComeBack() {
        rig.gate.close();
        Rig.Sent waiting = rig.send(0);
        Ticket foreign = () -> false;
        assertThatThrownBy(() -> rig.again(waiting, replay)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> rig.controller.resubmit(foreign, replay, waiting.listener(), rig.owner))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("earlier: ");
    }

    private Rig.Sent dispatched(int priority) {
        rig.open();
        Rig.Sent sent = rig.send(priority);
        assertThat(sent.listener().dispatched()).isTrue();
        return sent;
    }
}
