package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTest {

    private static final String BUSY = "closed-8x16";

    /** One target's CPU, a value a round; NaN is no value. */
    static void cpu(Results results, String target, String scenario, double... values) {
        for (int round = 0; round < values.length; round++) {
            if (!Double.isNaN(values[round])) {
                results.put(target, scenario, round, Map.of(Metric.CPU, values[round]));
            }
        }
    }

    @Test
    void aMedianIsTheMiddleOrBetweenTheTwoInTheMiddle() {
        assertThat(Spread.of(3, 1, 2)).isEqualTo(new Spread(2, 1, 3, 3));
        assertThat(Spread.of(4, 1, 2, 3)).isEqualTo(new Spread(2.5, 1, 4, 4));
        assertThat(Spread.of(Double.NaN, 5)).isEqualTo(new Spread(5, 5, 5, 1));
        assertThat(Spread.of(Double.NaN).known()).isFalse();
        assertThat(Spread.of().text(1)).isEqualTo("-");
        assertThat(Spread.of(1, 1234.56, 3).text(1)).isEqualTo("3.0 (1.0-1,234.6)");
        assertThat(Spread.of(7).text(0)).isEqualTo("7");
    }

    @Test
    void ratiosAreTakenWithinARound() {
        Results results = new Results(3);
        cpu(results, "penstock-17", BUSY, 10, 40, 12);
        cpu(results, "haproxy", BUSY, 10, 20, 10);
        assertThat(results.ratios("penstock-17", "haproxy", BUSY, Metric.CPU)).containsExactly(1, 2, 1.2);
    }

    @Test
    void aRoundWithoutOneOfTheTwoHasNoRatio() {
        Results results = new Results(3);
        cpu(results, "penstock-17", BUSY, 10, Double.NaN, 12);
        cpu(results, "haproxy", BUSY, 0, 20, 10);
        assertThat(results.ratios("penstock-17", "haproxy", BUSY, Metric.CPU)).containsExactly(Double.NaN, Double.NaN, 1.2);
        assertThat(results.ratios("penstock-17", "nginx", BUSY, Metric.CPU)).containsOnly(Double.NaN);
    }

    @Test
    void jsonBringsBackWhatWasWritten() throws IOException {
        Results results = new Results(3);
        results.head().put("date", "2026-11-30");
        results.notes().add("a \"note\"");
        results.notes().add("another");
        results.failures().add("x");
        cpu(results, "haproxy", BUSY, 10.123456, Double.NaN, 0);
        cpu(results, "penstock-17", "sse-flat", 1e-7, 123456789, Double.POSITIVE_INFINITY);
        String text = ResultsJson.write(results);
        Results read = ResultsJson.read(text);
        assertThat(read.head()).isEqualTo(results.head());
        assertThat(read.notes()).containsExactly("a \"note\"", "another");
        assertThat(read.failures()).containsExactly("x");
        assertThat(read.series("haproxy", BUSY, Metric.CPU)).containsExactly(10.123, Double.NaN, 0);
        assertThat(read.series("penstock-17", "sse-flat", Metric.CPU)).containsExactly(1e-7, 123460000, Double.NaN);
        assertThat(ResultsJson.write(read)).isEqualTo(text);
    }

    @Test
    void jsonThatIsNoneOfOursIsRefusedWithThePlace() {
        assertThatThrownBy(() -> ResultsJson.read("")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ResultsJson.read("[]")).hasMessageContaining("expected: START_OBJECT");
        assertThatThrownBy(() -> ResultsJson.read("{\"format\":2}")).hasMessageContaining("format: 2");
        assertThatThrownBy(() -> ResultsJson.read("{\"format\":1,\"rounds\":0}")).hasMessageContaining("rounds: 0");
        assertThatThrownBy(() -> ResultsJson.read("{\"format\":1,\"rounds\":1}")).hasMessageContaining("results: no object");
        assertThatThrownBy(() -> ResultsJson.read("{\"format\":1,\"rounds\":2,\"results\":{\"a\":{\"b\":{\"cpu\":[1]}}}}"))
                .hasMessageContaining("a.b.cpu: 1 values (expected: 2)");
        assertThatThrownBy(() -> ResultsJson.read("{\"format\":1,\"rounds\":1,\"results\":{\"a\":{\"b\":{\"zpu\":[1]}}}}"))
                .hasMessageContaining("a.b.zpu: unknown metric");
        assertThatThrownBy(() -> ResultsJson.read("{\"format\":1,\"rounds\":1,\"results\":{\"a\":{\"b\":")).isInstanceOf(IOException.class);
    }

    @Test
    void whatAProxyAddsIsAgainstTheSameRoundWithoutOne() {
        Results results = new Results(2);
        cpu(results, "direct", "latency-1x1", 16, 20);
        cpu(results, "envoy", "latency-1x1", 116, 220);
        assertThat(results.added("envoy", "latency-1x1", Metric.CPU)).containsExactly(100, 200);
    }
}
