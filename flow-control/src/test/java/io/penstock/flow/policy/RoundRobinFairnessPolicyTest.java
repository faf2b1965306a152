package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoundRobinFairnessPolicyTest {

    private final TestBand band = new TestBand(new RoundRobinFairnessPolicy());

    @Test
    void flowsAreServedInTheOrderOfTheirIdsOneRequestATurn() {
        for (String id : List.of("b", "c", "a")) {
            band.arrive(id, 3);
        }
        assertThat(band.dispatch(10)).containsExactly("a", "b", "c", "a", "b", "c", "a", "b", "c", "-");
    }

    @Test
    void aLargeRequestCountsAsOne() {
        band.arrive("a", 1_000_000, 1_000_000);
        band.arrive("a");
        band.arrive("b", 2);
        assertThat(band.dispatch(4)).containsExactly("a", "b", "a", "b");
    }

    @Test
    void theTurnGoesOnBehindAFlowThatHasNothingLeft() {
        band.arrive("a", 3);
        band.arrive("b");
        band.arrive("c", 2);
        assertThat(band.dispatch(2)).containsExactly("a", "b");
        assertThat(band.dispatch(3)).containsExactly("c", "a", "c");
    }

    @Test
    void aNewFlowIsServedInItsPlace() {
        band.arrive("b", 3);
        band.arrive("d", 3);
        assertThat(band.dispatch(1)).containsExactly("b");
        band.arrive("a");
        band.arrive("c");
        assertThat(band.dispatch(4)).containsExactly("c", "d", "a", "b");
    }

    @Test
    void aSerialClientOfTheFirstFlowDoesNotStarveTheOthers() {
        band.arrive("z", 3);
        for (int i = 0; i < 3; i++) {
            band.arrive("a");
            assertThat(band.dispatch(2)).containsExactly("a", "z");
        }
    }

    @Test
    void theTurnStartsAgainWhenTheBandHasForgottenTheFlowThatWasServedLast() {
        band.arrive("a", 2);
        band.arrive("b");
        band.arrive("c", 2);
        assertThat(band.dispatch(2)).containsExactly("a", "b");
        band.forget("b");
        assertThat(band.dispatch(2)).containsExactly("a", "c");
    }

    @Test
    void forgettingAnotherFlowMovesNoTurn() {
        band.arrive("a", 2);
        band.arrive("b", 2);
        band.arrive("c", 2);
        assertThat(band.dispatch(5)).containsExactly("a", "b", "c", "a", "b");
        band.forget("a");
        assertThat(band.dispatch(1)).containsExactly("c");
    }

    @Test
    void theTurnStartsAgainWhenNothingWaits() {
        band.arrive("a");
        assertThat(band.dispatch(1)).containsExactly("a");
        band.arrive("b");
        band.arrive("a");
        assertThat(band.dispatch(2)).containsExactly("a", "b");
    }

    @Test
    void askingMovesNoTurn() {
        band.arrive("a", 2);
        band.arrive("b", 2);
        assertThat(band.policy.pick()).isSameAs(band.policy.pick());
        assertThat(band.dispatch(2)).containsExactly("a", "b");
    }

    @Test
    void aFlowSetAsideKeepsItsTurn() {
        TestFlow a = band.arrive("a");
        TestFlow b = band.arrive("b");
        TestFlow c = band.arrive("c");
        band.policy.setAside(a);
        assertThat(band.policy.pick()).isSameAs(b);
        band.policy.setAside(b);
        band.policy.setAside(c);
        assertThat(band.policy.pick()).isNull();
        band.policy.restore();
        assertThat(band.dispatch(3)).containsExactly("a", "b", "c");
    }

    @Test
    void aFlowThatLeftWhileSetAsideIsACandidateWhenItComesBack() {
        TestFlow a = band.arrive("a");
        band.arrive("b");
        band.policy.setAside(a);
        band.leave(a);
        assertThat(band.arrive("a")).isSameAs(band.policy.pick());
    }

    @Test
    void idsAreSortedByTheBytesOfUtf8() {
        List<String> ids = new ArrayList<>(List.of("", "a", "aa", "b", "é", "\u0800", "\uD7FF", "\uE000", "\uFFFD", "\uD800\uDC00",
                "\uDBFF\uDFFF", "\uFFFDx", "\uD83D\uDE00", "\uD83D\uDE01", "\uD83D\uDE00a"));
        Comparator<String> bytes = (x, y) -> Arrays.compareUnsigned(x.getBytes(StandardCharsets.UTF_8), y.getBytes(StandardCharsets.UTF_8));
        for (String a : ids) {
            for (String b : ids) {
                assertThat(Integer.signum(FlowIds.compare(a, b))).as("%s, %s", a, b).isEqualTo(Integer.signum(bytes.compare(a, b)));
            }
        }
        band.arrive("\uD83D\uDE00");
        band.arrive("\uFFFD");
        assertThat(band.dispatch(2)).containsExactly("\uFFFD", "\uD83D\uDE00");
    }

    @Test
    void itServesWhatANaiveWalkOverAllFlowsWouldThroughAnyHistory() {
        for (int seed = 0; seed < 200; seed++) {
            run(new Random(seed));
        }
    }

    /** The model is the original's: sort all registered flows, start behind the last, take the first that is not empty. */
    private static void run(Random random) {
        TestBand fresh = new TestBand(new RoundRobinFairnessPolicy());
        TreeMap<String, Integer> model = new TreeMap<>();
        String last = null;
        int ids = 1 + random.nextInt(150);
        for (int step = 0; step < 500; step++) {
            if (random.nextInt(5) < 2) {
                String id = "f" + random.nextInt(ids);
                fresh.arrive(id);
                model.merge(id, 1, Integer::sum);
            } else {
                String next = next(model, last);
                TestFlow served = fresh.dispatch();
                assertThat(served == null ? null : served.toString()).isEqualTo(next);
                last = next;
                if (next != null) {
                    model.merge(next, -1, Integer::sum);
                }
                if (model.values().stream().allMatch(waiting -> waiting == 0)) {
                    last = null;
                }
            }
        }
    }

    private static @Nullable String next(TreeMap<String, Integer> model, @Nullable String last) {
        List<String> order = new ArrayList<>(model.keySet());
        int start = last == null ? 0 : order.indexOf(last) + 1;
        for (int i = 0; i < order.size(); i++) {
            String id = order.get((start + i) % order.size());
            if (model.get(id) > 0) {
                return id;
            }
        }
        return null;
    }

    @Test
    void sortedArrivalsMakeNoLongWays() {
        SortedFlows flows = new SortedFlows();
        for (int i = 0; i < 20_000; i++) {
            flows.add(new TestFlow("%06d".formatted(i)));
        }
        assertThat(flows.depth()).isLessThan(80);
    }
}
