package io.penstock.proxy.admitter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.FlowKey;
import io.penstock.flow.PoolView;
import io.penstock.flow.plugin.PluginConfigException;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.proxy.admitter.LatencyPredictions.Prediction;
import io.penstock.proxy.request.FlowResolver;
import io.penstock.proxy.request.RequestContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** spec/flow-control sections 1.5 and 8. */
class AdmittersTest {

    private final AtomicReference<PoolView> pool = new AtomicReference<>(PoolView.EMPTY);
    private final Map<EndpointView, Prediction> predictions = new HashMap<>();
    private double random;

    private static RequestContext request(int priority, String... headers) {
        DefaultHttp2Headers head = new DefaultHttp2Headers();
        for (int i = 0; i < headers.length; i += 2) {
            head.add(headers[i], headers[i + 1]);
        }
        RequestContext request = new RequestContext(null, head);
        request.identify(new FlowKey("t", priority), 0, 0);
        request.ttftSloNanos(new FlowResolver(Map::of, List::of, () -> { }).ttftSloNanos(head));
        return request;
    }

    private List<FakeEndpoint> endpoints(@Nullable EngineSample... samples) {
        List<FakeEndpoint> endpoints = new ArrayList<>();
        for (EngineSample sample : samples) {
            FakeEndpoint endpoint = new FakeEndpoint("e" + endpoints.size());
            endpoint.sample(sample);
            endpoints.add(endpoint);
        }
        pool.set(new PoolView(endpoints, Map.of()));
        return endpoints;
    }

    private static EngineSample sample(int waiting, int running, double kvCache) {
        return new EngineSample(0, waiting, running, kvCache);
    }

    private Admitter probabilistic(Map<String, ?> parameters) {
        return Admitters.create("probabilistic-admitter", "p", parameters, pool::get, () -> random);
    }

    /** The random number at which it just denies no more. */
    private double chance(Admitter admitter) {
        double low = 0;
        double high = 1.000_001;
        while (high - low > 1e-7) {
            random = (low + high) / 2;
            if (admitter.deny(request(-1)) == null) {
                high = random;
            } else {
                low = random;
            }
        }
        return low;
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "1, 0, 0.096", "0, 0.16, 0.096", "1, 0.04, 0.096", "2, 0, 1", "5, 0.8, 1", "100, 1, 1"})
    void theChanceIsTheFullerSideToAPowerTimesAFactor(int waiting, double kvCache, double expected) {
        endpoints(sample(waiting, 1, kvCache));
        assertThat(chance(probabilistic(Map.of()))).isCloseTo(expected, within(1e-5));
    }

    @Test
    void theMeanIsOverAllEndpointsAndOneThatWasNeverReadIsFull() {
        endpoints(sample(0, 0, 0), sample(2, 0, 0), null, sample(0, 0, 0.4));
        // (0 + 0.2 + 1 + 0.5) / 4 = 0.425, with thresholds of 10 and 0.8, squared, halved
        Admitter admitter = probabilistic(Map.of("queueDepthThreshold", 10L, "power", 2.0, "k", 0.5));
        assertThat(chance(admitter)).isCloseTo(0.425 * 0.425 * 0.5, within(1e-5));
    }

    @Test
    void onlySheddableRequestsAndOnlyWithEndpointsAreEverDenied() {
        Admitter admitter = probabilistic(Map.of());
        random = 0;
        assertThat(admitter.deny(request(-1))).as("no endpoints").isNull();
        endpoints(sample(50, 50, 1));
        assertThat(admitter.deny(request(0))).isNull();
        assertThat(admitter.deny(request(100))).isNull();
        assertThat(admitter.deny(request(-1))).isNotNull().extracting(Denial::status).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"queueDepthThreshold", "kvCacheUtilThreshold", "power", "k"})
    void everyParameterIsMoreThanZero(String name) {
        for (Object wrong : new Object[] {0L, -1L, 0.0, -0.5, Double.NaN, Double.POSITIVE_INFINITY, "5", true}) {
            assertThatThrownBy(() -> probabilistic(Map.of(name, wrong))).as("%s", wrong).isInstanceOf(PluginConfigException.class)
                    .hasMessageStartingWith(name + ": ");
        }
        assertThat(probabilistic(Map.of(name, 1L)).name()).isEqualTo("p");
    }

    @Test
    void everythingWrongIsSaidAtOnce() {
        assertThatThrownBy(() -> probabilistic(Map.of("power", 0L, "k", -1L, "treshold", 5L))).isInstanceOfSatisfying(
                PluginConfigException.class, e -> assertThat(e.problems()).hasSize(3));
    }

    // latency-slo-admitter.

    private @Nullable Denial slo(RequestContext request) {
        LatencySloAdmitter admitter = LatencySloAdmitter.of("l", Map.of(), pool::get,
                (asked, endpoint) -> predictions.getOrDefault(endpoint, Prediction.NONE));
        return admitter.deny(request);
    }

    private void predict(List<FakeEndpoint> endpoints, Prediction... of) {
        predictions.clear();
        for (int i = 0; i < of.length; i++) {
            predictions.put(endpoints.get(i), of[i]);
        }
    }

    @Test
    void aSheddableRequestIsDeniedWhenNoEndpointWouldMeetItsObjective() {
        List<FakeEndpoint> two = endpoints(sample(1, 3, 0.5), sample(1, 3, 0.5));
        String[] objective = {"x-llm-d-slo-ttft-ms", "100"};
        assertThat(slo(request(-1, objective))).as("no predictions").isNull();
        predict(two, Prediction.MISSES);
        assertThat(slo(request(-1, objective))).isNotNull().extracting(Denial::status).isEqualTo(429);
        assertThat(slo(request(-1, "x-slo-tpot-ms", "20"))).isNotNull();
        assertThat(slo(request(0, objective))).isNull();
        assertThat(slo(request(-1))).isNull();
        assertThat(slo(request(-1, "x-llm-d-slo-ttft-ms", "0"))).as("not positive").isNull();
        predict(two, Prediction.MISSES, Prediction.MEETS);
        assertThat(slo(request(-1, objective))).isNull();
    }

    @Test
    void anIdleOrColdEndpointTakesItWhateverIsPredicted() {
        for (EngineSample free : Arrays.asList(sample(0, 0, 0.9), sample(1, 3, 0.019))) {
            predict(endpoints(sample(1, 3, 0.5), free), Prediction.MISSES, Prediction.MISSES);
            assertThat(slo(request(-1, "x-llm-d-slo-ttft-ms", "100"))).isNull();
        }
        predict(endpoints(sample(1, 3, 0.02), null), Prediction.MISSES, Prediction.MISSES);
        assertThat(slo(request(-1, "x-llm-d-slo-ttft-ms", "100"))).as("never read is neither").isNotNull();
    }

    @Test
    void asConfiguredItLetsEverythingGoSinceNothingPredicts() {
        endpoints(sample(50, 50, 1));
        Admitter admitter = Admitters.create("latency-slo-admitter", "l", Map.of("latencyPredictionInfoProducerName", "x"), pool::get,
                () -> 0);
        assertThat(admitter.deny(request(-1, "x-llm-d-slo-ttft-ms", "1"))).isNull();
        assertThatThrownBy(() -> Admitters.create("latency-slo-admitter", "l", Map.of("producer", "x"), pool::get, () -> 0))
                .isInstanceOf(PluginConfigException.class);
    }
}
