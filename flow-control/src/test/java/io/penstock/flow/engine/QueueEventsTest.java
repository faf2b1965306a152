package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.FlowKey;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What metrics hear of arrivals and of flows that are forgotten. */
class QueueEventsTest {

    private final Rig rig = Rig.bands(100, 0, 5);

    QueueEventsTest() {
        rig.events.note();
    }

    @Test
    void anArrivalIsToldWhenTheDrainerLinksItWithTheFlowThatTookIt() {
        rig.send(TestRequest.of("a", 5));
        rig.send(TestRequest.of("b", 77));
        assertThat(rig.events.enqueued()).containsExactly("a:5 - 0", "b:0 - 0");
    }

    @Test
    void anArrivalThatWasCancelledBeforeTheDrainerSawItIsToldAsSuchAndIsNeverLinked() {
        rig.gate.open();
        // The listener is called by the drainer, so what it submits waits for the drainer's next step.
        Rig.Sent[] late = new Rig.Sent[1];
        rig.placement.beforeReturn(() -> {
            if (late[0] == null) {
                late[0] = rig.send(TestRequest.of("late", 5));
                rig.clock.advanceMillis(7);
                assertThat(late[0].ticket().cancel()).isTrue();
            }
        });
        rig.send(TestRequest.of("a", 0));
        assertThat(rig.events.enqueued()).containsExactly("a:0 - 0", "late:5 EvictedContextCancelled 7");
        assertThat(late[0].listener().outcomes()).isZero();
        assertThat(rig.controller.band(5).queues.flowsKept()).isZero();
    }

    @Test
    void aRefusedRequestNeverArrivesAndOneTakenBackArrivesOnce() {
        rig.setLimit(0, 1);
        rig.gate.open();
        Rig.Sent first = rig.send(TestRequest.of("a", 0));
        rig.gate.close();
        rig.again(first, first.request());
        rig.send(TestRequest.of("b", 0));
        rig.send(TestRequest.of("c", 0));
        assertThat(rig.events.enqueued()).containsExactly("a:0 - 0", "b:0 - 0");
    }

    @Test
    void aFlowIsForgottenAfterFiveIdleMinutesAndOnlyOnce() {
        rig.gate.open();
        rig.send(TestRequest.of("a", 5));
        rig.tickAfter(Duration.ofMinutes(4));
        assertThat(rig.events.forgotten()).isEmpty();
        rig.tickAfter(Duration.ofMinutes(1));
        rig.tickAfter(Duration.ofMinutes(5));
        assertThat(rig.events.forgotten()).containsExactly(new FlowKey("a", 5));
    }

    @Test
    void aBandThatGoesForgetsItsFlowsFirst() {
        rig.controller.provision(Set.of(7));
        rig.gate.open();
        rig.send(TestRequest.of("a", 7));
        rig.controller.provision(Set.of());
        assertThat(rig.events.forgotten()).containsExactly(new FlowKey("a", 7));
        assertThat(rig.events.removed()).containsExactly(7);
    }
}
