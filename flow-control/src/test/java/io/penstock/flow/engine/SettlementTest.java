package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.Outcome;
import io.penstock.flow.RejectReason;
import io.penstock.flow.testkit.HeldExecutor;
import io.penstock.flow.testkit.TestRequest;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A ticket settles once, its place is free at once, and nothing of it stays behind. */
class SettlementTest {

    @Test
    void aCancelledRequestHearsNothingAndIsNeverPlaced() {
        Rig rig = Rig.bands(10, 0);
        Rig.Sent sent = rig.send(0);
        assertThat(sent.ticket().cancel()).isTrue();
        assertThat(sent.ticket().cancel()).isFalse();
        rig.open();
        rig.tickAfter(Duration.ofSeconds(100));
        assertThat(sent.listener().outcomes()).isZero();
        assertThat(rig.placement.asked()).isZero();
        assertThat(rig.events.count(Outcome.EVICTED_CONTEXT_CANCELLED)).isOne();
    }

    @Test
    void aCancelAfterDispatchComesTooLateAndTheLeaseIsTheListeners() {
        Rig rig = Rig.bands(10, 0);
        HeldExecutor loop = new HeldExecutor();
        rig.owner = loop;
        rig.gate.open();
        Rig.Sent sent = rig.send(0);
        assertThat(sent.ticket().cancel()).isFalse();
        loop.runAll();
        assertThat(rig.placement.open()).isOne();
        sent.listener().lease().close();
        assertThat(rig.placement.open()).isZero();
    }

    @Test
    void aCancelBetweenPlacementAndSettlementUndoesTheCharge() {
        Rig rig = Rig.bands(10, 0);
        Rig.Sent first = rig.send(0);
        Rig.Sent second = rig.send(0);
        boolean[] done = {false};
        rig.placement.beforeReturn(() -> {
            if (!done[0]) {
                done[0] = true;
                assertThat(first.ticket().cancel()).isTrue();
            }
        });
        rig.open();
        assertThat(first.listener().outcomes()).isZero();
        assertThat(second.listener().dispatched()).isTrue();
        assertThat(rig.placement.placed()).isEqualTo(2);
        assertThat(rig.placement.open()).isOne();
        assertThat(rig.waiting(0)).isZero();
    }

    @Test
    void aCancelThatLosesToTheExpiryDoesNotReleaseTwice() {
        Rig rig = Rig.bands(10, 0);
        Rig.Sent sent = rig.send(0);
        rig.send(0);
        rig.tickAfter(Duration.ofSeconds(60));
        assertThat(sent.ticket().cancel()).isFalse();
        assertThat(rig.waiting(0)).isZero();
        assertThat(rig.events.count(Outcome.EVICTED_TTL)).isEqualTo(2);
    }

    @Test
    void whatIsDispatchedDoesNotExpireAndWhatHasExpiredIsNotDispatched() {
        Rig rig = Rig.bands(10, 0);
        rig.placement.limit(1);
        rig.gate.open();
        Rig.Sent runs = rig.send(0);
        Rig.Sent waits = rig.send(0);
        rig.tickAfter(Duration.ofSeconds(60));
        runs.listener().lease().close();
        assertThat(runs.listener().outcomes()).isOne();
        assertThat(runs.listener().dispatched()).isTrue();
        assertThat(waits.listener().outcomes()).isOne();
        assertThat(waits.listener().refused()).isEqualTo(RejectReason.TTL_EXPIRED);
        assertThat(rig.placement.placed()).isOne();
    }

    @Test
    void cancelledNodesLeaveTheQueueThoughTheGateStaysClosed() {
        Rig rig = Rig.bands(10_000, 0);
        List<Rig.Sent> sent = rig.send(5000, 0);
        Rig.Sent last = rig.send(0);
        sent.forEach(each -> each.ticket().cancel());
        assertThat(rig.controller.band(0).queues.waiting()).isOne();
        rig.open();
        assertThat(last.listener().dispatched()).isTrue();
    }

    @Test
    void aListenerThatCancelsOthersInsideTheDrainerBreaksNothing() {
        Rig rig = Rig.bands(100, 0);
        List<Rig.Sent> sent = new ArrayList<>();
        rig.owner = task -> {
            task.run();
            sent.forEach(each -> each.ticket().cancel());
        };
        for (int i = 0; i < 50; i++) {
            sent.add(rig.send(TestRequest.of("f" + i % 5, 0)));
        }
        rig.open();
        assertThat(sent.stream().filter(each -> each.listener().dispatched())).hasSize(1);
        assertThat(rig.waiting(0)).isZero();
        assertThat(rig.controller.band(0).queues.waiting()).isZero();
    }

    @Test
    void aSettledTicketHoldsNoRequest() {
        Rig rig = Rig.bands(10, 0);
        Rig.Sent cancelled = rig.send(0);
        cancelled.ticket().cancel();
        Rig.Sent expired = rig.send(TestRequest.in(0).ttl(Duration.ofMillis(1)));
        rig.tickAfter(Duration.ofMillis(1));
        Rig.Sent dispatched = rig.send(0);
        rig.open();
        for (Rig.Sent each : List.of(cancelled, expired, dispatched)) {
            assertThat(((QueuedTicket) each.ticket()).request()).isNull();
        }
    }

    @Test
    void nothingInTheEngineKeepsASettledTicket() {
        Rig rig = Rig.bands(10, 0);
        List<WeakReference<Object>> tickets = new ArrayList<>();
        tickets.add(new WeakReference<>(cancelled(rig)));
        tickets.add(new WeakReference<>(expired(rig)));
        rig.open();
        tickets.add(new WeakReference<>(rig.send(0).ticket()));
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> {
            System.gc();
            return tickets.stream().allMatch(each -> each.get() == null);
        });
    }

    private static Object cancelled(Rig rig) {
        Rig.Sent sent = rig.send(0);
        sent.ticket().cancel();
        return sent.ticket();
    }

    private static Object expired(Rig rig) {
        Rig.Sent sent = rig.send(TestRequest.in(0).ttl(Duration.ofMillis(1)));
        rig.tickAfter(Duration.ofMillis(1));
        return sent.ticket();
    }
}
