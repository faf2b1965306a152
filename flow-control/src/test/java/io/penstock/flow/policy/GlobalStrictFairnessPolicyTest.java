package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import io.penstock.flow.config.BandConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GlobalStrictFairnessPolicyTest {

    private final FairnessPolicy policy = Policies.fairness(BandConfig.GLOBAL_STRICT);

    @Test
    void nothingWaitingPicksNothing() {
        assertThat(policy.pick()).isNull();
        Flow flow = new Flow("a");
        flow.add(0, 0);
        policy.activated(flow);
        policy.deactivated(flow);
        assertThat(policy.pick()).isNull();
    }

    @Test
    void theEarliestArrivalOfAllFlowsIsNextWhateverItsFairnessId() {
        Flow a = new Flow("a");
        Flow b = new Flow("b");
        a.add(0, 2);
        b.add(0, 1);
        policy.activated(a);
        policy.activated(b);
        assertThat(policy.pick()).isSameAs(b);
    }

    @Test
    void ranksAreComparedByDifference() {
        Flow before = new Flow("before");
        Flow after = new Flow("after");
        before.add(Long.MAX_VALUE - 5, 9);
        after.add(Long.MIN_VALUE + 5, 1);
        policy.activated(after);
        policy.activated(before);
        assertThat(policy.pick()).isSameAs(before);
    }

    @Test
    void aFlowSetAsideIsPassedOverUntilRestored() {
        Flow a = new Flow("a");
        Flow b = new Flow("b");
        a.add(0, 1);
        b.add(0, 2);
        policy.activated(a);
        policy.activated(b);
        policy.setAside(a);
        assertThat(policy.pick()).isSameAs(b);
        policy.setAside(b);
        assertThat(policy.pick()).isNull();
        policy.restore();
        assertThat(policy.pick()).isSameAs(a);
    }

    @Test
    void flowsSetAsideMayLeaveAndChangeTheirHeads() {
        List<Flow> flows = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Flow flow = new Flow("f" + i);
            flow.add(0, i);
            flow.add(0, 100 - i);
            policy.activated(flow);
            flows.add(flow);
        }
        flows.forEach(policy::setAside);
        for (int i = 0; i < 20; i += 3) {
            policy.deactivated(flows.get(i));
        }
        for (int i = 1; i < 20; i += 3) {
            flows.get(i).removeHead();
            policy.headChanged(flows.get(i));
        }
        policy.restore();
        List<Flow> picked = new ArrayList<>();
        for (FlowHandle flow = policy.pick(); flow != null; flow = policy.pick()) {
            picked.add((Flow) flow);
            policy.deactivated(flow);
        }
        assertThat(picked).hasSize(13).isSortedAccordingTo(Comparator.comparingLong(Flow::headArrival));
    }

    @Test
    void itPicksTheBestOfAllHeadsThroughAnyHistory() {
        for (int seed = 0; seed < 200; seed++) {
            run(new Random(seed));
        }
    }

    private void run(Random random) {
        FairnessPolicy fresh = Policies.fairness(BandConfig.GLOBAL_STRICT);
        List<Flow> flows = new ArrayList<>();
        List<Flow> aside = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(200); i++) {
            flows.add(new Flow("f" + i));
        }
        long arrival = 0;
        for (int step = 0; step < 1000; step++) {
            Flow flow = flows.get(random.nextInt(flows.size()));
            int what = random.nextInt(10);
            if (what < 5) {
                boolean first = flow.add(random.nextInt(3), arrival++);
                if (flow.length() == 1) {
                    fresh.activated(flow);
                } else if (first) {
                    fresh.headChanged(flow);
                }
            } else if (what < 8 && flow.length() > 0) {
                flow.removeHead();
                if (flow.length() == 0) {
                    fresh.deactivated(flow);
                    aside.remove(flow);
                } else {
                    fresh.headChanged(flow);
                }
            } else if (what == 8 && flow.length() > 0 && !aside.contains(flow)) {
                fresh.setAside(flow);
                aside.add(flow);
            } else if (what == 9) {
                fresh.restore();
                aside.clear();
            }
            FlowHandle best = flows.stream().filter(each -> each.length() > 0 && !aside.contains(each))
                    .min(Comparator.comparingLong(Flow::headRank).thenComparingLong(Flow::headArrival)).orElse(null);
            assertThat(fresh.pick()).isSameAs(best);
        }
    }

    /** A flow as the policy sees it; each element is rank and arrival. */
    private static final class Flow implements FlowHandle {

        private final String id;
        private final Deque<long[]> heads = new ArrayDeque<>();
        private int slot;

        Flow(String id) {
            this.id = id;
        }

        /** Whether it is the new head. */
        boolean add(long rank, long arrival) {
            long[] element = {rank, arrival};
            if (heads.isEmpty() || rank < heads.getFirst()[0]) {
                heads.addFirst(element);
                return true;
            }
            heads.addLast(element);
            return false;
        }

        void removeHead() {
            heads.removeFirst();
        }

        @Override
        public String fairnessId() {
            return id;
        }

        @Override
        public int length() {
            return heads.size();
        }

        @Override
        public long headRank() {
            return heads.getFirst()[0];
        }

        @Override
        public long headArrival() {
            return heads.getFirst()[1];
        }

        @Override
        public long headBytes() {
            return 1;
        }

        @Override
        public long headTokens() {
            return 1;
        }

        @Override
        public long headSubmittedNanos() {
            return 0;
        }

        @Override
        public int slot() {
            return slot;
        }

        @Override
        public void slot(int index) {
            slot = index;
        }
    }
}
