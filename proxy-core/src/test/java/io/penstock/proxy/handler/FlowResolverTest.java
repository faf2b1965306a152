package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.flow.FlowKey;
import io.penstock.proxy.request.FlowResolver;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Identity from headers (spec/flow-control section 2). */
class FlowResolverTest {

    private final AtomicInteger badTtls = new AtomicInteger();
    private final FlowResolver resolver = new FlowResolver(() -> Map.of("premium", 10, "batch", -5), badTtls::incrementAndGet);
    private final Http2Headers head = new DefaultHttp2Headers();

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
    void aBudgetThatMeansNothingIsIgnoredAndCounted() {
        for (String value : new String[] {"", "soon", "-1s", "0s", "5"}) {
            head.set("x-llm-d-inference-ttl", value);
            assertThat(resolver.ttlNanos(head)).isZero();
        }
        assertThat(badTtls).hasValue(5);
    }
}
