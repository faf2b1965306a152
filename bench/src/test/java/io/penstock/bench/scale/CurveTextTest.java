package io.penstock.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the curves are written as, and what they are read from. */
class CurveTextTest {

    private static final List<Point> POINTS = List.of(
            new Point("1").add(Figure.CPU, 20).add(Figure.CPU, 22).add(Figure.CPU, 21),
            new Point("10").add(Figure.CPU, 40).add(Figure.CPU, 44).add(Figure.CPU, 42).add(Figure.HEAP_EACH, 1792));

    @Test
    void aCellHasMedianAndRangeAndTheSlopeComparesTheMedians() {
        assertThat(CurveText.markdown(Curve.BANDS, POINTS, "here")).contains("; here\n")
                .contains("| priority bands | CPU µs/request | live heap each, bytes |\n")
                .contains("| 1 | 21.0 (20.0-22.0) |  |\n").contains("| 10 | 42.0 (40.0-44.0) | 1792 |\n")
                .endsWith("first: CPU µs/request x 2.00, live heap each, bytes x 1.00\n");
    }

    @Test
    void theJsonHasEveryValue() throws Exception {
        String json = CurveText.json(Curve.BANDS, POINTS, "here");
        assertThat(json).contains("{\"at\": \"1\", \"cpu\": [20.000, 22.000, 21.000]}").contains("\"heap_each\": [1792.000]");
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            while (parser.nextToken() != null) {
                // A parser that reaches the end has found no fault.
            }
        }
    }

    @Test
    void theHeapIsWhatBothGenerationsHold() {
        assertThat(LiveHeap.used("1234:\n PSYoungGen      total 8192K, used 100K [0x1, 0x2)\n  eden space 7168K, 1% used\n"
                + " ParOldGen       total 57344K, used 20000K [0x3\n Metaspace       used 30000K")).isEqualTo(20_100 * 1024);
        assertThatThrownBy(() -> LiveHeap.used("garbage-first heap   total 1K, used 1K")).hasMessageContaining("expected: PSYoungGen");
    }
}
