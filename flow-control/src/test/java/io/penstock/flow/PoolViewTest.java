package io.penstock.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.penstock.flow.testkit.FakeEndpoint;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The partition of spec/flow-control section 4.2. */
class PoolViewTest {

    @ParameterizedTest
    @CsvSource({"prefill,true,false", "encode-prefill,true,false", "decode,false,true", "'',false,true", "prefill-decode,true,true",
            "both,true,true", "encode-prefill-decode,true,true", "encode,false,false", "Prefill,false,false", "unknown,false,false"})
    void aRoleServesItsStages(String role, boolean prefill, boolean decode) {
        PoolView pool = FakeEndpoint.pool(new FakeEndpoint("e", role));
        assertThat(!pool.stage(Stage.PREFILL).isEmpty()).isEqualTo(prefill);
        assertThat(!pool.stage(Stage.DECODE).isEmpty()).isEqualTo(decode);
        assertThat(pool.isEmpty()).isFalse();
    }

    @Test
    void membersKeepTheirOrderAndAnInterleavedOneIsInBothStages() {
        FakeEndpoint a = new FakeEndpoint("a", "prefill");
        FakeEndpoint b = new FakeEndpoint("b", "both");
        FakeEndpoint c = new FakeEndpoint("c");
        PoolView pool = FakeEndpoint.pool(a, b, c);
        assertThat(pool.stage(Stage.PREFILL)).isEqualTo(List.of(a, b));
        assertThat(pool.stage(Stage.DECODE)).isEqualTo(List.of(b, c));
    }

    @ParameterizedTest
    @CsvSource({"'','',false", "'',decode,true", "encode,'',true", "unknown,unknown,true"})
    void anyRoleSplitsThePool(String one, String two, boolean split) {
        assertThat(FakeEndpoint.pool(new FakeEndpoint("a", one), new FakeEndpoint("b", two)).split()).isEqualTo(split);
        assertThat(new PoolView(List.of(new FakeEndpoint("a")), Map.of("gone", "decode")).split()).isFalse();
        assertThat(PoolView.EMPTY.split()).isFalse();
    }

    /** llm-d's detectors skip null endpoints; here there are none to skip (spec/flow-control section 12, case 60). */
    @Test
    void aPoolHoldsNoNulls() {
        assertThatNullPointerException().isThrownBy(() -> new PoolView(Arrays.asList(new FakeEndpoint("a"), null), Map.of()));
    }

    @Test
    void anEmptyPoolHasEmptyStages() {
        assertThat(PoolView.EMPTY.isEmpty()).isTrue();
        assertThat(PoolView.EMPTY.stage(Stage.DECODE)).isEmpty();
    }
}
