package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.EndpointView;
import io.penstock.flow.GateOn;
import io.penstock.flow.PoolView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.SaturationView;
import io.penstock.flow.Stage;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.RecordingEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Seed 2, spec/flow-control section 6.4, FC-26 as far as the engine goes, and section 12 cases 39 to 42. */
class StageGateTest {

    private static final GateOn ON_PREFILL = new GateOn(Stage.PREFILL);
    private static final GateOn ON_DECODE = new GateOn(Stage.DECODE);

    private final List<String> asked = new ArrayList<>();
    private final List<String> scopes = new ArrayList<>();
    private final List<String> left = new ArrayList<>();
    private final RecordingEvents events = new RecordingEvents();
    private final Fixed whole = new Fixed("default", 0.1);
    private final Fixed forPrefill = new Fixed("prefill-detector", 0.7);
    private final Fixed forDecode = new Fixed("decode-detector", 0.4);

    private final FakeEndpoint prefill = new FakeEndpoint("p", "prefill");
    private final FakeEndpoint decode = new FakeEndpoint("d", "decode");
    private final FakeEndpoint both = new FakeEndpoint("pd", "prefill-decode");
    private final FakeEndpoint encode = new FakeEndpoint("e", "encode");

    @Test
    void maxTakesTheHighestStageEachWithItsOwnDetectorAndItsOwnEndpoints() {
        assertThat(gate(GateOn.MAX).measure(FakeEndpoint.pool(prefill, decode, both, encode), 0)).isEqualTo(0.7);
        assertThat(asked).containsExactly("prefill-detector[p, pd]", "decode-detector[d, pd]");
        assertThat(events.stages()).containsEntry(Stage.PREFILL, 0.7).containsEntry(Stage.DECODE, 0.4);
        assertThat(events.effective()).isEqualTo(0.7);
    }

    @Test
    void aNamedStageGatesAloneAndTheOtherIsStillPublished() {
        assertThat(gate(ON_DECODE).measure(FakeEndpoint.pool(prefill, decode), 0)).isEqualTo(0.4);
        assertThat(gate(ON_PREFILL).measure(FakeEndpoint.pool(prefill, decode), 0)).isEqualTo(0.7);
        assertThat(events.stages()).containsOnlyKeys(Stage.PREFILL, Stage.DECODE);
    }

    @Test
    void aStageWithoutItsOwnDetectorUsesTheDefault() {
        StageGate gate = new StageGate(collaborators(Map.of(Stage.DECODE, forDecode)), GateOn.MAX);
        assertThat(gate.measure(FakeEndpoint.pool(prefill, decode), 0)).isEqualTo(0.4);
        assertThat(asked).containsExactly("default[p]", "decode-detector[d]");
    }

    @Test
    void oneDetectorForEverythingBehavesAsWithoutStages() {
        StageGate gate = new StageGate(collaborators(Map.of()), GateOn.MAX);
        whole.value = 2.5;
        assertThat(gate.measure(FakeEndpoint.pool(new FakeEndpoint("unlabelled")), 0)).as("never clamped").isEqualTo(2.5);
        assertThat(asked).containsExactly("default[unlabelled]");
    }

    @Test
    void aSaturatedPrefillStageClosesThoughDecodeIsIdle() {
        forPrefill.value = 1.2;
        forDecode.value = 0.0;
        assertThat(gate(GateOn.MAX).measure(FakeEndpoint.pool(prefill, decode), 0)).isEqualTo(1.2);
    }

    @Test
    void anEmptyStageIsLeftOutUnderMax() {
        assertThat(gate(GateOn.MAX).measure(FakeEndpoint.pool(decode), 0)).isEqualTo(0.4);
        assertThat(asked).containsExactly("decode-detector[d]");
    }

    @Test
    void aNamedEmptyStageIsClosedAlsoWhenBothAreEmpty() {
        assertThat(gate(ON_PREFILL).measure(FakeEndpoint.pool(decode), 0)).isEqualTo(1.0);
        assertThat(gate(ON_PREFILL).measure(FakeEndpoint.pool(encode), 0)).isEqualTo(1.0);
        assertThat(gate(ON_DECODE).measure(PoolView.EMPTY, 0)).isEqualTo(1.0);
        assertThat(asked).doesNotContain("default[e]", "default[]");
    }

    @Test
    void bothEmptyUnderMaxAsksTheDefaultAboutTheWholePool() {
        assertThat(gate(GateOn.MAX).measure(FakeEndpoint.pool(encode), 0)).isEqualTo(0.1);
        assertThat(asked).containsExactly("default[e]");
    }

    @Test
    void theSeriesOfAStageGoesWithItsLastEndpointAndComesBack() {
        StageGate gate = gate(GateOn.MAX);
        gate.measure(FakeEndpoint.pool(prefill, decode), 0);
        gate.measure(FakeEndpoint.pool(decode), 0);
        assertThat(events.stages()).containsOnlyKeys(Stage.DECODE);
        assertThat(gate.view()).isEqualTo(new SaturationView(null, 0.4, 0.4));
        gate.measure(FakeEndpoint.pool(prefill, decode), 0);
        assertThat(events.stages()).containsOnlyKeys(Stage.PREFILL, Stage.DECODE);
        assertThat(gate.view()).isEqualTo(new SaturationView(0.7, 0.4, 0.7));
    }

    @Test
    void aBrokenStageThatDoesNotGateDoesNotClose() {
        forPrefill.broken = true;
        assertThat(gate(ON_DECODE).measure(FakeEndpoint.pool(prefill, decode), 0)).isEqualTo(0.4);
        assertThat(gate(GateOn.MAX).measure(FakeEndpoint.pool(prefill, decode), 0)).isNaN();
        assertThat(events.stages()).containsEntry(Stage.PREFILL, 1.0);
        assertThat(events.effective()).as("published as closed").isEqualTo(1.0);
        assertThat(events.failures()).containsOnly("prefill-detector");
    }

    @Test
    void whatHasBeenSeenIsThatOfTheStagesThatGate() {
        PoolView pool = FakeEndpoint.pool(prefill, decode);
        assertThat(gate(GateOn.MAX).observed(pool, 0)).isEqualTo(0.7);
        assertThat(gate(ON_DECODE).observed(pool, 0)).isEqualTo(0.4);
        PoolView noStage = FakeEndpoint.pool(encode);
        assertThat(gate(GateOn.MAX).observed(noStage, 0)).isEqualTo(gate(GateOn.MAX).measure(noStage, 0));
        forPrefill.value = Double.NaN;
        assertThat(gate(GateOn.MAX).observed(pool, 0)).as("of one nothing").isEqualTo(0.4);
        forPrefill.broken = true;
        assertThat(gate(GateOn.MAX).observed(pool, 0)).as("one is broken").isEqualTo(0.4);
        forDecode.broken = true;
        assertThat(gate(GateOn.MAX).observed(pool, 0)).isNaN();
        assertThat(gate(ON_DECODE).observed(pool, 0)).isNaN();
    }

    @Test
    void aPoolWithoutAnyRoleIsNotSplit() {
        gate(GateOn.MAX).measure(FakeEndpoint.pool(new FakeEndpoint("one"), new FakeEndpoint("two")), 0);
        assertThat(scopes).containsExactly("decode-detector:null");
    }

    @Test
    void oneRoleSplitsThePoolAndTheWholeOfItIsNoStage() {
        gate(GateOn.MAX).measure(FakeEndpoint.pool(new FakeEndpoint("one"), decode), 0);
        gate(GateOn.MAX).measure(FakeEndpoint.pool(prefill, decode), 0);
        gate(GateOn.MAX).measure(FakeEndpoint.pool(encode), 0);
        assertThat(scopes).containsExactly("decode-detector:DECODE", "prefill-detector:PREFILL", "decode-detector:DECODE",
                "default:null");
    }

    @Test
    void aDetectorHearsWhenNobodyAsksItOfAStageAnyMore() {
        StageGate gate = gate(GateOn.MAX);
        gate.measure(FakeEndpoint.pool(prefill, decode), 0);
        gate.measure(FakeEndpoint.pool(both), 0);
        assertThat(left).as("both stages still have endpoints").isEmpty();
        gate.measure(FakeEndpoint.pool(decode), 0);
        assertThat(left).containsExactly("prefill-detector:PREFILL");
        gate.measure(FakeEndpoint.pool(new FakeEndpoint("unlabelled")), 0);
        assertThat(left).containsExactly("prefill-detector:PREFILL", "decode-detector:DECODE");
        gate.measure(FakeEndpoint.pool(encode), 0);
        gate.measure(FakeEndpoint.pool(decode), 0);
        assertThat(left).containsExactly("prefill-detector:PREFILL", "decode-detector:DECODE", "decode-detector:null", "default:null");
    }

    @Test
    void whatADetectorThrowsWhenItIsLeftHarmsNobody() {
        StageGate gate = gate(GateOn.MAX);
        gate.measure(FakeEndpoint.pool(prefill, decode), 0);
        forPrefill.broken = true;
        assertThat(gate.measure(FakeEndpoint.pool(decode), 0)).isEqualTo(0.4);
        assertThat(events.failures()).containsExactly("prefill-detector");
    }

    @Test
    void everyStageCanBeGatedOn() {
        assertThat(GateOn.all()).containsExactly(GateOn.MAX, ON_PREFILL, ON_DECODE).extracting(GateOn::label)
                .containsExactly("max", "prefill", "decode");
    }

    @Test
    void oneInstanceMayServeBothStagesAndIsAskedOfEach() {
        StageGate gate = new StageGate(collaborators(Map.of(Stage.PREFILL, forDecode, Stage.DECODE, forDecode)), GateOn.MAX);
        gate.measure(FakeEndpoint.pool(prefill, decode), 0);
        assertThat(asked).containsExactly("decode-detector[p]", "decode-detector[d]");
        assertThat(scopes).containsExactly("decode-detector:PREFILL", "decode-detector:DECODE");
    }

    @Test
    void beforeTheFirstMeasurementTheGateIsClosed() {
        assertThat(gate(GateOn.MAX).view()).isEqualTo(new SaturationView(null, null, 1.0));
    }

    private StageGate gate(GateOn gateOn) {
        return new StageGate(collaborators(Map.of(Stage.PREFILL, forPrefill, Stage.DECODE, forDecode)), gateOn);
    }

    private Collaborators collaborators(Map<Stage, SaturationDetector> stages) {
        return Collaborators.of(whole, request -> null, () -> PoolView.EMPTY, () -> 0).withStages(stages).withEvents(events);
    }

    private final class Fixed implements SaturationDetector {

        private final String name;
        private double value;
        private boolean broken;

        Fixed(String name, double value) {
            this.name = name;
            this.value = value;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public double saturation(List<EndpointView> endpoints, long nowNanos) {
            asked.add(name + endpoints);
            if (broken) {
                throw new IllegalStateException("on purpose");
            }
            return value;
        }

        @Override
        public double saturation(@Nullable Stage stage, List<EndpointView> endpoints, long nowNanos) {
            scopes.add(name + ':' + stage);
            return saturation(endpoints, nowNanos);
        }

        @Override
        public void left(@Nullable Stage stage) {
            left.add(name + ':' + stage);
            if (broken) {
                throw new IllegalStateException("on purpose");
            }
        }

        @Override
        public double load(EndpointView endpoint, long nowNanos) {
            return value;
        }

        @Override
        public boolean fits(EndpointView endpoint) {
            return true;
        }
    }
}
