package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.BandCandidates;
import io.penstock.flow.BandSelectionPolicy;
import io.penstock.flow.policy.StrictBandPolicy;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the dispatcher makes of a band selection policy, a good one and bad ones. */
class BandSelectionTest {

    private final List<Integer> served = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();
    private Consumer<int[]> ranking = order -> {
    };

    private final BandSelectionPolicy policy = new BandSelectionPolicy() {
        @Override
        public String type() {
            return "fake";
        }

        @Override
        public void rank(BandCandidates bands, long nowNanos, int[] order) {
            seen.clear();
            for (int i = 0; i < bands.size(); i++) {
                long waited = bands.waiting(i) ? Duration.ofNanos(nowNanos - bands.headSubmittedNanos(i)).toMillis() : -1;
                seen.add(bands.priority(i) + (bands.waiting(i) ? " waiting" : "") + (bands.open(i) ? " open " : " closed ") + waited);
            }
            ranking.accept(order);
        }

        @Override
        public void dispatched(int priority, long nowNanos) {
            served.add(priority);
        }
    };
    private final Rig rig = new Rig(Rig.config(10, 0, 5, 9), with -> with.withBandSelection(policy)
            .withUsageLimit((saturation, priorities, ceilings) -> ceilings[0] = 0.5));

    @Test
    void itSeesEveryBandWithItsGateItsWorkAndItsHead() {
        rig.send(9);
        rig.clock.advanceMillis(30);
        rig.send(0);
        rig.clock.advanceMillis(20);
        rig.gate.set(0.5);
        rig.placement.limit(0);
        rig.controller.signal();
        assertThat(seen).containsExactly("9 waiting closed 50", "5 open -1", "0 waiting open 20");
    }

    @Test
    void itsOrderIsFollowedAndItIsToldOnlyOfWhatWasDispatched() {
        ranking = order -> {
            order[0] = 2;
            order[1] = 1;
            order[2] = 0;
        };
        List<Rig.Sent> sent = List.of(rig.send(9), rig.send(5), rig.send(0));
        rig.placement.limit(0);
        rig.open();
        assertThat(served).isEmpty();
        rig.placement.limit(9);
        rig.controller.signal();
        assertThat(served).containsExactly(0, 5, 9);
        assertThat(sent).allMatch(each -> each.listener().outcomes() == 1);
    }

    @Test
    void itCannotOpenABandThatIsGated() {
        List<Rig.Sent> high = rig.send(2, 9);
        Rig.Sent low = rig.send(0);
        rig.gate.set(0.5);
        rig.controller.signal();
        assertThat(low.listener().dispatched()).isTrue();
        assertThat(high).noneMatch(each -> each.listener().dispatched());
        assertThat(served).containsExactly(0);
    }

    @Test
    void whatItSaysIsTrustedOnlyWhenItNamesEachBandOnce() {
        List<Consumer<int[]>> rubbish = List.of(order -> Arrays.fill(order, 2), order -> order[1] = 3, order -> order[0] = -1,
                order -> order[2] = Integer.MAX_VALUE, order -> order[0] = 1, order -> {
                    throw new IllegalStateException("on purpose");
                });
        for (Consumer<int[]> each : rubbish) {
            rig.gate.close();
            served.clear();
            ranking = each;
            List<Rig.Sent> sent = List.of(rig.send(0), rig.send(5), rig.send(9));
            rig.events.failures().clear();
            rig.open();
            assertThat(served).as("strict order instead").containsExactly(9, 5, 0);
            assertThat(sent).allMatch(one -> one.listener().outcomes() == 1);
            assertThat(rig.events.failures()).hasSize(3).containsOnly("fake");
        }
        assertThat(rig.controller.pendingSignals()).isZero();
    }

    @Test
    void oneThatThrowsAtTheNewsOfADispatchIsCountedAndHarmsNothing() {
        Rig other = new Rig(Rig.config(10, 0), with -> with.withBandSelection(new BandSelectionPolicy() {
            @Override
            public String type() {
                return "fake";
            }

            @Override
            public void rank(BandCandidates bands, long nowNanos, int[] order) {
            }

            @Override
            public void dispatched(int priority, long nowNanos) {
                throw new IllegalStateException("on purpose");
            }
        }));
        List<Rig.Sent> sent = other.send(3, 0);
        other.open();
        assertThat(sent).allMatch(each -> each.listener().dispatched());
        assertThat(other.events.failures()).containsExactly("fake", "fake", "fake");
    }

    @Test
    void aReloadPutsAnotherInItsPlaceAndStrictOrderIsWhatItWas() {
        ranking = order -> {
            order[0] = 2;
            order[2] = 0;
        };
        rig.reconfigure(Rig.config(10, 0, 5, 9), with -> with.withBandSelection(StrictBandPolicy.INSTANCE));
        rig.gate.open();
        rig.placement.limit(0);
        List<Integer> order = new ArrayList<>();
        for (int priority : new int[] {0, 5, 9}) {
            rig.controller.submit(TestRequest.in(priority), new RecordingListener(heard -> order.add(priority)), rig.owner);
        }
        rig.placement.limit(9);
        rig.controller.signal();
        assertThat(order).containsExactly(9, 5, 0);
        assertThat(served).isEmpty();
        rig.reconfigure(Rig.config(10, 0, 5, 9));
        rig.send(5);
        assertThat(served).containsExactly(5);
    }

    @Test
    void aRequestTakenBackIsTheHeadOfItsBandAndCountsWhenItGoesAgain() {
        rig.gate.open();
        Rig.Sent first = rig.send(5);
        first.listener().lease().close();
        rig.clock.advanceMillis(70);
        rig.gate.close();
        rig.send(5);
        rig.clock.advanceMillis(10);
        rig.again(first, first.request());
        assertThat(seen).contains("5 waiting closed 80");
        rig.open();
        assertThat(served).containsExactly(5, 5, 5);
    }
}
