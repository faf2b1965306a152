package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.flow.FlowKey;
import io.penstock.proxy.request.FlowResolver;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Identity from headers (spec/flow-control section 2). */
class FlowResolverTest {

    private final AtomicInteger badTtls = new AtomicInteger();
    private final FlowResolver resolver = new FlowResolver(() -> Map.of("premium", 10, "batch", -5), this::sessions,
            badTtls::incrementAndGet);
    private List<AsciiString> sessions = List.of();
    private final Http2Headers head = new DefaultHttp2Headers(false);

    private List<AsciiString> sessions() {
        return sessions;
    }

    @Test
    void withoutHeadersTheDefaultFlowInBandZeroIsMeant() {
        assertThat(resolver.flowKey(head)).isEqualTo(new FlowKey("default-flow", 0));
        assertThat(resolver.ttlNanos(head)).isZero();
    }

    @Test
    void theObjectiveNamesThePriority() {
        head.add("x-llm-d-inference-objective", "premium").add("x-llm-d-inference-fairness-id", "tenant");
        assertThat(resolver.flowKey(head)).isEqualTo(new FlowKey("tenant", 10));
    }

    @Test
    void anUnknownObjectiveMeansBandZero() {
        head.add("x-llm-d-inference-objective", "10");
        assertThat(resolver.flowKey(head).priority()).isZero();
    }

    @Test
    void theOldNameCountsOnlyWhereTheNewOneIsAbsent() {
        head.add("x-gateway-inference-objective", "batch");
        assertThat(resolver.flowKey(head).priority()).isEqualTo(-5);
        head.add("x-llm-d-inference-objective", "");
        assertThat(resolver.flowKey(head).priority()).isZero();
    }

    @Test
    void anEmptyFairnessIdMeansTheDefaultFlow() {
        head.add("x-llm-d-inference-fairness-id", "").add("x-gateway-inference-fairness-id", "old");
        assertThat(resolver.flowKey(head).fairnessId()).isEqualTo("default-flow");
    }

    @Test
    void aLongFairnessIdCountsWithItsFirstCharacters() {
        head.add("x-llm-d-inference-fairness-id", "x".repeat(50_000));
        assertThat(resolver.flowKey(head).fairnessId()).isEqualTo("x".repeat(256));
    }

    @Test
    void aNameBeyondAsciiIsTheOneThatADocumentWrites() {
        FlowResolver resolver = new FlowResolver(() -> Map.of("prämie", 7), this::sessions, badTtls::incrementAndGet);
        head.add("x-llm-d-inference-objective", onTheWire("prämie")).add("x-llm-d-inference-fairness-id", onTheWire("Zürich 😀"));
        assertThat(resolver.flowKey(head)).isEqualTo(new FlowKey("Zürich 😀", 7));
    }

    @Test
    void whatIsNoUtf8KeepsItsBytesAndACutLeavesWholeCharacters() {
        head.set("x-llm-d-inference-fairness-id", new AsciiString(new byte[] {'a', (byte) 0xE9}));
        assertThat(resolver.flowKey(head).fairnessId()).isEqualTo("a\u00e9");
        head.set("x-llm-d-inference-fairness-id", onTheWire("x" + "😀".repeat(200)));
        assertThat(resolver.flowKey(head).fairnessId()).isEqualTo("x" + "😀".repeat(127));
        head.set("x-llm-d-inference-fairness-id", onTheWire("é".repeat(300)));
        assertThat(resolver.flowKey(head).fairnessId()).isEqualTo("é".repeat(256));
    }

    private static AsciiString onTheWire(String text) {
        return new AsciiString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aNameThatRepeatsCountsWithItsLastValueAndGoesOnOnce() {
        head.add("x-llm-d-inference-objective", "batch").add("x-llm-d-inference-objective", "premium");
        assertThat(resolver.flowKey(head).priority()).isEqualTo(10);
        assertThat(head.getAll("x-llm-d-inference-objective")).extracting(CharSequence::toString).containsExactly("premium");
    }

    @Test
    void theClientsBudgetIsAGoDuration() {
        head.add("x-llm-d-inference-ttl", "1.5s");
        assertThat(resolver.ttlNanos(head)).isEqualTo(1_500_000_000L);
    }

    @Test
    void anObjectiveForTheFirstTokenIsWholeMilliseconds() {
        assertThat(resolver.ttftSloNanos(head)).isNegative();
        Map<String, Long> values = Map.of("0", 0L, "250", 250_000_000L, " 7\t", 7_000_000L, "+3", 3_000_000L, "9223372036854",
                9_223_372_036_854_000_000L);
        values.forEach((text, nanos) -> {
            head.set("x-llm-d-slo-ttft-ms", text);
            assertThat(resolver.ttftSloNanos(head)).as(text).isEqualTo(nanos);
        });
    }

    @Test
    void anObjectiveThatMeansNothingIsNone() {
        for (String text : new String[] {"", "-1", "1.5", "1e3", "soon", "9223372036855", "9223372036854775808", "0x10", "1_000", "++1",
            "\u0661", "1 2"}) {
            head.set("x-llm-d-slo-ttft-ms", text);
            assertThat(resolver.ttftSloNanos(head)).as(text).isEqualTo(FlowResolver.NO_OBJECTIVE);
        }
    }

    @Test
    void theOldNameOfTheObjectiveCountsOnlyWhereTheNewOneIsAbsent() {
        head.add("x-slo-ttft-ms", "5").add("x-slo-tpot-ms", "6");
        assertThat(resolver.ttftSloNanos(head)).isEqualTo(5_000_000);
        assertThat(FlowResolver.tpotSloNanos(head)).isEqualTo(6_000_000);
        head.add("x-llm-d-slo-ttft-ms", "");
        assertThat(resolver.ttftSloNanos(head)).isEqualTo(FlowResolver.NO_OBJECTIVE);
    }

    @Test
    void aSessionStandsForAFairnessIdWhereThereIsNone() {
        head.add("x-a", "").add("x-b", "session-7").add("session-id", "s");
        assertThat(resolver.flowKey(head).fairnessId()).as("no such plugin").isEqualTo("default-flow");
        sessions = List.of(AsciiString.of("x-a"), AsciiString.of("x-b"), AsciiString.of("session-id"));
        assertThat(resolver.flowKey(head).fairnessId()).isEqualTo("session-7");
        head.add("x-llm-d-inference-fairness-id", "tenant");
        assertThat(resolver.flowKey(head).fairnessId()).isEqualTo("tenant");
        head.set("x-llm-d-inference-fairness-id", "");
        assertThat(resolver.flowKey(head).fairnessId()).as("llm-d: an empty id is none").isEqualTo("session-7");
    }

    @Test
    void aBudgetThatMeansNothingIsIgnoredAndCounted() {
        for (String value : new String[] {"", "soon", "-1s", "0s", "5"}) {
            head.set("x-llm-d-inference-ttl", value);
            assertThat(resolver.ttlNanos(head)).isZero();
        }
        assertThat(badTtls).hasValue(5);
    }
}
