package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.Ticket;
import io.penstock.flow.policy.Policies;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The queues of one band seen through the controller: other orders than arrival, and flows that fall idle. */
class FlowQueueTest {

    /** Fewer bytes first. */
    private static final OrderingPolicy SMALLEST = new OrderingPolicy() {
        @Override
        public String type() {
            return "smallest";
        }

        @Override
        public long rank(AdmissionRequest request, long submittedNanos, long budgetNanos) {
            return request.byteSize();
        }
    };

    private final List<Long> order = new ArrayList<>();

    @Test
    void aRankOrdersTheRequestsOfAFlowAndTheFlowsOfABandAndArrivalBreaksTies() {
        Rig rig = new Rig(Rig.config(100, 0), with -> with.withPolicies(Policies::fairness, name -> SMALLEST));
        long[] sizes = {5, 3, 9, 3, 1, 9, 2, 7};
        for (int i = 0; i < sizes.length; i++) {
            note(rig, "f" + i % 3, sizes[i]);
        }
        rig.open();
        assertThat(order).containsExactly(1L, 2L, 3L, 3L, 5L, 7L, 9L, 9L);
    }

    @Test
    void anOrderingThatThrowsFallsBackToArrival() {
        OrderingPolicy broken = new OrderingPolicy() {
            @Override
            public String type() {
                return "broken";
            }

            @Override
            public long rank(AdmissionRequest request, long submittedNanos, long budgetNanos) {
                throw new IllegalStateException("on purpose");
            }
        };
        Rig rig = new Rig(Rig.config(100, 0), with -> with.withPolicies(Policies::fairness, name -> broken));
        note(rig, "a", 2);
        note(rig, "a", 1);
        rig.open();
        assertThat(order).containsExactly(2L, 1L);
        assertThat(rig.events.failures()).containsExactly("broken", "broken");
    }

    @Test
    void removingFromAnywhereKeepsTheRest() {
        Rig rig = Rig.bands(100, 0);
        List<Rig.Sent> sent = rig.send(9, 0);
        for (int i : new int[] {0, 4, 8, 5, 3}) {
            sent.get(i).ticket().cancel();
        }
        rig.open();
        assertThat(sent.stream().filter(each -> each.listener().dispatched()).map(sent::indexOf)).containsExactly(1, 2, 6, 7);
    }

    @Test
    void aFlowIsKeptWhileItIsUsedAndGoesAfterFiveIdleMinutes() {
        Rig rig = Rig.bands(100, 0);
        BandQueues queues = rig.controller.band(0).queues;
        rig.gate.open();
        rig.send(TestRequest.of("a", 0));
        rig.tickAfter(Duration.ofMinutes(4));
        rig.send(TestRequest.of("a", 0));
        rig.tickAfter(Duration.ofMinutes(4));
        assertThat(queues.flowsKept()).isOne();
        rig.tickAfter(Duration.ofMinutes(1));
        assertThat(queues.flowsKept()).isZero();
        assertThat(rig.send(TestRequest.of("a", 0)).listener().dispatched()).isTrue();
    }

    @Test
    void aFlowWithSomethingWaitingIsNeverIdle() {
        Rig rig = new Rig(Rig.budgets(Duration.ZERO, Duration.ZERO));
        rig.send(TestRequest.of("a", 0));
        rig.tickAfter(Duration.ofHours(1));
        assertThat(rig.controller.band(0).queues.flowsKept()).isOne();
    }

    @Test
    void inventedFairnessIdsDoNotFillTheMemory() {
        Rig rig = Rig.bands(100, 0);
        rig.gate.open();
        for (int i = 0; i < 20_000; i++) {
            rig.send(TestRequest.of("invented" + i, 0));
        }
        rig.controller.tick();
        assertThat(rig.controller.band(0).queues.flowsKept()).isEqualTo(IdleFlows.KEEP_MOST);
    }

    @Test
    void ranksInAnyOrderAndRequestsThatLeaveFromTheMiddleKeepTheOrderExact() {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            Rig rig = new Rig(Rig.config(10_000, 0), with -> with.withPolicies(Policies::fairness, name -> SMALLEST));
            List<Long> expected = new ArrayList<>();
            List<Ticket> tickets = new ArrayList<>();
            List<Long> sizes = new ArrayList<>();
            order.clear();
            for (int i = 0; i < 600; i++) {
                // Rising with some noise, falling, or any: a list, a heap, and the way from one to the other.
                long bytes = seed % 3 == 0 ? i + random.nextInt(40) : seed % 3 == 1 ? 10_000 - i : random.nextInt(300);
                tickets.add(note(rig, "f" + random.nextInt(2), bytes));
                sizes.add(bytes);
                int other = random.nextInt(tickets.size());
                expected.add(bytes);
                if (random.nextInt(3) == 0 && tickets.get(other).cancel()) {
                    expected.remove(sizes.get(other));
                }
                if (random.nextInt(150) == 0) {
                    rig.open();
                    rig.gate.close();
                    Collections.sort(expected);
                    assertThat(order).isEqualTo(expected);
                    expected.clear();
                    order.clear();
                }
            }
            rig.open();
            Collections.sort(expected);
            assertThat(order).isEqualTo(expected);
            assertThat(rig.controller.band(0).queues.waiting()).isZero();
        }
    }

    private Ticket note(Rig rig, String flow, long bytes) {
        return rig.controller.submit(TestRequest.of(flow, 0).bytes(bytes), new RecordingListener(heard -> order.add(bytes)), rig.owner);
    }
}
