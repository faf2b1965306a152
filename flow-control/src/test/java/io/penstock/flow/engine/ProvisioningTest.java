package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.GateOn;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.TestRequest;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bands there are, and the fallback to band 0: spec/flow-control section 12, cases 51 to 57 and 65, and seed 1. */
class ProvisioningTest {

    @ParameterizedTest
    @ValueSource(ints = {5, -5, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void aRequestOfABandThatIsMissingRunsInBandZeroWithItsOwnFairnessId(int missing) {
        Rig rig = Rig.bands(10, 0);
        rig.gate.open();
        Rig.Sent sent = rig.send(TestRequest.of("tenant", missing));
        assertThat(sent.listener().effective()).isEqualTo(new FlowKey("tenant", 0));
        assertThat(rig.events.fallbacks()).containsExactly(new FlowKey("tenant", missing));
    }

    @Test
    void theFallbackIsResolvedAtSubmissionAndNeverAgain() {
        Rig rig = Rig.bands(10, 0);
        Rig.Sent before = rig.send(5);
        rig.controller.provision(Set.of(5));
        Rig.Sent after = rig.send(5);
        assertThat(rig.waiting(0)).isOne();
        assertThat(rig.waiting(5)).isOne();
        rig.open();
        assertThat(before.listener().effective()).isEqualTo(new FlowKey("default-flow", 0));
        assertThat(after.listener().effective()).isEqualTo(new FlowKey("default-flow", 5));
    }

    @Test
    void aHeldStepLeavesTheNewBandAwayAndNothingElse() {
        AtomicBoolean hold = new AtomicBoolean(true);
        Rig rig = new Rig(Rig.config(10, 0), with -> with.withHooks(new FlowHooks() {
            @Override
            public boolean holdProvisioning() {
                return hold.get();
            }
        }));
        rig.gate.open();
        rig.controller.provision(Set.of(5));
        assertThat(rig.send(5).listener().effective()).isEqualTo(new FlowKey("default-flow", 0));
        hold.set(false);
        rig.controller.tick();
        assertThat(rig.send(5).listener().effective()).isEqualTo(new FlowKey("default-flow", 5));
    }

    @Test
    void theNewestWantedSetWins() {
        AtomicBoolean hold = new AtomicBoolean(true);
        Rig rig = new Rig(Rig.config(10, 0), with -> with.withHooks(new FlowHooks() {
            @Override
            public boolean holdProvisioning() {
                return hold.get();
            }
        }));
        for (int i = 1; i < 100; i++) {
            rig.controller.provision(Set.of(i));
        }
        hold.set(false);
        rig.controller.signal();
        assertThat(rig.controller.bands()).extracting("priority").containsExactly(99, 0);
    }

    @Test
    void theNegativeTemplateAppliesOnlyBelowZero() {
        FlowControlConfig config = new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, 0, 0, Rig.band(0, 70),
                Rig.band(0, 50), List.of(), GateOn.MAX);
        Rig rig = new Rig(config);
        rig.controller.provision(Set.of(-1, 3));
        assertThat(rig.capacity(-1).maxRequests()).isEqualTo(50);
        assertThat(rig.capacity(0).maxRequests()).isEqualTo(70);
        assertThat(rig.capacity(3).maxRequests()).isEqualTo(70);
    }

    @Test
    void withoutANegativeTemplateTheNormalOneIsUsed() {
        Rig rig = new Rig(Rig.config(Rig.band(0, 70), List.of()));
        rig.controller.provision(Set.of(-1));
        assertThat(rig.capacity(-1).maxRequests()).isEqualTo(70);
    }

    @Test
    void staticBandsAndBandZeroStayAndAnUnwantedOneGoesWhenItIsEmpty() {
        Rig rig = Rig.bands(10, 7);
        rig.controller.provision(Set.of(5));
        Rig.Sent waiting = rig.send(5);
        rig.controller.provision(Set.of());
        assertThat(rig.controller.bands()).extracting("priority").containsExactly(7, 5, 0);
        rig.open();
        assertThat(waiting.listener().effective()).isEqualTo(new FlowKey("default-flow", 5));
        rig.controller.tick();
        assertThat(rig.controller.bands()).extracting("priority").containsExactly(7, 0);
        assertThat(rig.events.removed()).containsExactly(5);
        assertThat(rig.controller.capacity().capacitySnapshot(5)).isNull();
    }

    @Test
    void aBandWantedAgainBeforeItWentKeepsWhatWaits() {
        Rig rig = Rig.bands(10, 0);
        rig.controller.provision(Set.of(5));
        rig.send(5);
        rig.controller.provision(Set.of());
        rig.controller.provision(Set.of(5));
        rig.open();
        rig.controller.tick();
        assertThat(rig.controller.bands()).extracting("priority").containsExactly(5, 0);
        assertThat(rig.events.removed()).isEmpty();
    }

    @Test
    void aBandThatCameBackIsANewOneAndWorks() {
        Rig rig = Rig.bands(10, 0);
        rig.gate.open();
        for (int i = 0; i < 3; i++) {
            rig.controller.provision(Set.of(5));
            assertThat(rig.send(5).listener().effective()).isEqualTo(new FlowKey("default-flow", 5));
            rig.controller.provision(Set.of());
            assertThat(rig.send(5).listener().effective()).isEqualTo(new FlowKey("default-flow", 0));
        }
    }

    @Test
    void aPlaceTakenAtTheLastMomentKeepsTheBandAndAGoneBandGivesNone() {
        Rig rig = Rig.bands(10, 0);
        rig.controller.provision(Set.of(5));
        Band band = Objects.requireNonNull(rig.controller.band(5));
        assertThat(band.reserve(1)).isEqualTo(Occupancy.Reservation.ADMITTED);
        rig.controller.provision(Set.of());
        assertThat(rig.controller.band(5)).as("its request is still on its way in").isSameAs(band);
        band.release(1);
        rig.controller.tick();
        assertThat(rig.controller.band(5)).isNull();
        assertThat(band.reserve(1)).isEqualTo(Occupancy.Reservation.CLOSED);
    }

    @Test
    void aStaticBandZeroReplacesTheImplicitOne() {
        Rig rig = new Rig(Rig.config(BandConfig.defaults(0), List.of(Rig.band(0, 3))));
        assertThat(rig.controller.bands()).hasSize(1);
        assertThat(rig.capacity(0).maxRequests()).isEqualTo(3);
    }
}
