package io.penstock.flow.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowControlConfigTest {

    @ParameterizedTest
    @ValueSource(longs = {0, -2, BandConfig.MAX_REQUESTS + 1})
    void aLimitThatCannotBeCountedIsRefusedWithItsRange(long limit) {
        assertThatThrownBy(() -> band(1, limit)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxRequests: " + limit + " (expected: 1..8388607 or unbounded)");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, BandConfig.MAX_REQUESTS, CapacitySnapshot.UNBOUNDED})
    void theEndsOfTheRangeAndUnboundedAreLimits(long limit) {
        assertThat(band(1, limit).maxRequests()).isEqualTo(limit);
    }

    @Test
    void aPriorityGivenTwiceIsRefused() {
        assertThatThrownBy(() -> config(null, band(4, 1), band(4, 2))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("priority 4 twice");
    }

    @Test
    void theNegativeTemplateIsForBandsBelowZeroAndTheOtherForTheRest() {
        FlowControlConfig config = config(band(0, 50));
        assertThat(config.template(-1)).isEqualTo(band(-1, 50));
        assertThat(config.template(0)).isEqualTo(band(0, 70));
        assertThat(config(null).template(-7)).isEqualTo(band(-7, 70));
    }

    private static FlowControlConfig config(@Nullable BandConfig negative, BandConfig... bands) {
        return new FlowControlConfig(CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED, 0, 0, band(0, 70), negative,
                List.of(bands), GateOn.MAX);
    }

    private static BandConfig band(int priority, long maxRequests) {
        return new BandConfig(priority, maxRequests, 1000, BandConfig.INHERIT, BandConfig.GLOBAL_STRICT, BandConfig.FCFS);
    }
}
