package io.penstock.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.EngineSample;
import io.penstock.flow.GateOn;
import io.penstock.flow.Stage;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.proxy.config.PickerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Seed 2 from the document to the gate and the metrics, case FC-26. What is expected is written out by hand. */
class StageAcceptanceTest {

    private static final String SATURATION = "llm_d_epp_flow_control_pool_saturation";

    /** The seed's own example in an envelope; its last line is the one that the table varies. */
    private static final String SEED = """
            apiVersion: llm-d.ai/v1alpha1
            kind: EndpointPickerConfig
            featureGates: [flowControl]
            plugins:
              - type: concurrency-detector
                name: prefill-concurrency
                parameters:
                  concurrencyMode: "tokens"
                  maxTokenConcurrency: 300000
              - type: concurrency-detector
                name: decode-concurrency
                parameters:
                  concurrencyMode: "requests"
                  maxConcurrency: 64
              - type: utilization-detector

            flowControl:
              saturationDetector:
                pluginRef: utilization-detector
                stages:
                  prefill: prefill-concurrency
                  decode: decode-concurrency
                gateOn: max
            """;

    /**
     * Each endpoint of a stage carries: idle 30 000 tokens or 16 requests, at its limit 300 000 or 64, over it 360 000 or 96. The endpoint
     * of no stage has 1, 5 or 10 requests waiting, of the 5 that the default detector allows. The two columns in the middle are the series
     * of the stages, the last four the saturation that gates and what a request does.
     */
    private static final String TABLE = """
            pool          | prefill | decode | series p | series d | absent    | max       | prefill   | decode
            both          | idle    | idle   | 0.1      | 0.25     | 0.25 go   | 0.25 go   | 0.1 go    | 0.25 go
            both          | idle    | limit  | 0.1      | 1.0      | 1.0 wait  | 1.0 wait  | 0.1 go    | 1.0 wait
            both          | idle    | over   | 0.1      | 1.5      | 1.5 wait  | 1.5 wait  | 0.1 go    | 1.5 wait
            both          | limit   | idle   | 1.0      | 0.25     | 1.0 wait  | 1.0 wait  | 1.0 wait  | 0.25 go
            both          | limit   | limit  | 1.0      | 1.0      | 1.0 wait  | 1.0 wait  | 1.0 wait  | 1.0 wait
            both          | limit   | over   | 1.0      | 1.5      | 1.5 wait  | 1.5 wait  | 1.0 wait  | 1.5 wait
            both          | over    | idle   | 1.2      | 0.25     | 1.2 wait  | 1.2 wait  | 1.2 wait  | 0.25 go
            both          | over    | limit  | 1.2      | 1.0      | 1.2 wait  | 1.2 wait  | 1.2 wait  | 1.0 wait
            both          | over    | over   | 1.2      | 1.5      | 1.5 wait  | 1.5 wait  | 1.2 wait  | 1.5 wait
            prefill empty | -       | idle   | -        | 0.25     | 0.25 go   | 0.25 go   | 1.0 wait  | 0.25 go
            prefill empty | -       | limit  | -        | 1.0      | 1.0 wait  | 1.0 wait  | 1.0 wait  | 1.0 wait
            prefill empty | -       | over   | -        | 1.5      | 1.5 wait  | 1.5 wait  | 1.0 wait  | 1.5 wait
            decode empty  | idle    | -      | 0.1      | -        | 0.1 go    | 0.1 go    | 0.1 go    | 1.0 wait
            decode empty  | limit   | -      | 1.0      | -        | 1.0 wait  | 1.0 wait  | 1.0 wait  | 1.0 wait
            decode empty  | over    | -      | 1.2      | -        | 1.2 wait  | 1.2 wait  | 1.2 wait  | 1.0 wait
            both empty    | -       | -      | -        | -        | 1.0 wait  | 1.0 wait  | 1.0 wait  | 1.0 wait
            interleaved   | idle    | idle   | 0.1      | 0.25     | 0.25 go   | 0.25 go   | 0.1 go    | 0.25 go
            interleaved   | idle    | limit  | 0.1      | 1.0      | 1.0 wait  | 1.0 wait  | 0.1 go    | 1.0 wait
            interleaved   | idle    | over   | 0.1      | 1.5      | 1.5 wait  | 1.5 wait  | 0.1 go    | 1.5 wait
            interleaved   | limit   | idle   | 1.0      | 0.25     | 1.0 wait  | 1.0 wait  | 1.0 wait  | 0.25 go
            interleaved   | limit   | limit  | 1.0      | 1.0      | 1.0 wait  | 1.0 wait  | 1.0 wait  | 1.0 wait
            interleaved   | limit   | over   | 1.0      | 1.5      | 1.5 wait  | 1.5 wait  | 1.0 wait  | 1.5 wait
            interleaved   | over    | idle   | 1.2      | 0.25     | 1.2 wait  | 1.2 wait  | 1.2 wait  | 0.25 go
            interleaved   | over    | limit  | 1.2      | 1.0      | 1.2 wait  | 1.2 wait  | 1.2 wait  | 1.0 wait
            interleaved   | over    | over   | 1.2      | 1.5      | 1.5 wait  | 1.5 wait  | 1.2 wait  | 1.5 wait
            encode only   | idle    | idle   | -        | -        | 0.2 go    | 0.2 go    | 1.0 wait  | 1.0 wait
            encode only   | limit   | limit  | -        | -        | 1.0 wait  | 1.0 wait  | 1.0 wait  | 1.0 wait
            encode only   | over    | over   | -        | -        | 2.0 wait  | 2.0 wait  | 1.0 wait  | 1.0 wait
            """;

    private static final List<String> GATES = List.of("absent", "max", "prefill", "decode");
    private static final Map<String, Integer> TOKENS = Map.of("idle", 30_000, "limit", 300_000, "over", 360_000);
    private static final Map<String, Integer> REQUESTS = Map.of("idle", 16, "limit", 64, "over", 96);
    private static final Map<String, Integer> WAITING = Map.of("idle", 1, "limit", 5, "over", 10);

    /** One cell: a pool, its load, a gate, and what is expected. */
    record Row(String pool, String prefill, String decode, String prefillSeries, String decodeSeries, String gateOn, String expected) {
    }

    static Stream<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (String line : TABLE.lines().skip(1).toList()) {
            List<String> cells = Stream.of(line.split("\\|")).map(String::trim).toList();
            for (int gate = 0; gate < GATES.size(); gate++) {
                rows.add(new Row(cells.get(0), cells.get(1), cells.get(2), cells.get(3), cells.get(4), GATES.get(gate),
                        cells.get(5 + gate)));
            }
        }
        return rows.stream();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void eachStageGatesAsTheTableSays(Row row) {
        try (GatedPool pool = new GatedPool(document(row.gateOn))) {
            pool.members(endpoints(pool, row));
            boolean went = pool.dispatches();
            List<String> expected = new ArrayList<>();
            String[] effective = row.expected.split(" ");
            expect(expected, "decode", row.decodeSeries);
            expect(expected, "effective", effective[0]);
            expect(expected, "prefill", row.prefillSeries);
            assertThat(pool.series(SATURATION)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(pool.flow.saturation().effective()).isEqualTo(Double.parseDouble(effective[0]));
            assertThat(went).isEqualTo(effective[1].equals("go"));
        }
    }

    private static void expect(List<String> series, String stage, String value) {
        if (!value.equals("-")) {
            series.add("{stage=\"" + stage + "\"} " + value);
        }
    }

    private static String document(String gateOn) {
        return gateOn.equals("absent") ? SEED.replace("    gateOn: max\n", "") : SEED.replace("gateOn: max", "gateOn: " + gateOn);
    }

    /** What a stage must not look at is far over its limit: the default detector's part, and the other detector's. */
    private static FakeEndpoint[] endpoints(GatedPool pool, Row row) {
        FakeEndpoint prefill = endpoint(pool, "p", "prefill", 900, TOKENS.getOrDefault(row.prefill, 0), 10);
        FakeEndpoint decode = endpoint(pool, "d", "decode", REQUESTS.getOrDefault(row.decode, 0), 9_000_000, 10);
        FakeEndpoint encode = endpoint(pool, "e", "encode", 900, 9_000_000, 10);
        return switch (row.pool) {
            case "both" -> new FakeEndpoint[] {encode, prefill, decode};
            case "prefill empty" -> new FakeEndpoint[] {decode, encode};
            case "decode empty" -> new FakeEndpoint[] {prefill, encode};
            case "both empty" -> new FakeEndpoint[0];
            case "interleaved" -> new FakeEndpoint[] {
                endpoint(pool, "x", "prefill-decode", REQUESTS.get(row.decode), TOKENS.get(row.prefill), 10), encode,
                endpoint(pool, "y", "both", REQUESTS.get(row.decode), TOKENS.get(row.prefill), 10)};
            case "encode only" -> new FakeEndpoint[] {endpoint(pool, "e", "encode", 900, 9_000_000, WAITING.get(row.prefill))};
            default -> throw new IllegalArgumentException(row.pool);
        };
    }

    private static FakeEndpoint endpoint(GatedPool pool, String name, String role, int requests, long tokens, int waiting) {
        FakeEndpoint endpoint = new FakeEndpoint(name, role);
        endpoint.requests(requests);
        endpoint.tokens(tokens);
        endpoint.sample(new EngineSample(pool.clock.getAsLong(), waiting, 0, 0.1));
        return endpoint;
    }

    @Test
    void theSeedsExampleLoadsAsItStands() {
        PickerSettings settings = GatedPool.settings(SEED);
        assertThat(settings.flowControlEnabled()).isTrue();
        assertThat(settings.defaultDetector().name()).isEqualTo("utilization-detector");
        assertThat(settings.stageDetectors().get(Stage.PREFILL).name()).isEqualTo("prefill-concurrency");
        assertThat(settings.stageDetectors().get(Stage.DECODE).name()).isEqualTo("decode-concurrency");
        assertThat(settings.flowControl().gateOn()).isEqualTo(GateOn.MAX);
    }

    @Test
    void aStagesSeriesGoesWithItsLastEndpointAndComesBackWithTheNext() {
        try (GatedPool pool = new GatedPool(SEED)) {
            FakeEndpoint prefill = endpoint(pool, "p", "prefill", 0, 150_000, 0);
            FakeEndpoint decode = endpoint(pool, "d", "decode", 32, 0, 0);
            pool.members(prefill, decode);
            assertThat(pool.dispatches()).isTrue();
            assertThat(pool.series(SATURATION)).hasSize(3).contains("{stage=\"prefill\"} 0.5");
            pool.members(decode);
            pool.flow.tick();
            assertThat(pool.series(SATURATION)).hasSize(2).noneMatch(line -> line.contains("prefill"));
            pool.members();
            pool.flow.tick();
            assertThat(pool.series(SATURATION)).containsExactly("{stage=\"effective\"} 1.0");
            pool.members(prefill, decode);
            pool.flow.tick();
            assertThat(pool.series(SATURATION)).hasSize(3).contains("{stage=\"prefill\"} 0.5");
        }
    }
}
