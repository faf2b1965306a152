package io.penstock.proxy.admitter;

import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.PoolView;
import io.penstock.flow.plugin.Parameters;
import io.penstock.proxy.admitter.LatencyPredictions.Prediction;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns a sheddable request with a latency objective away when every endpoint is predicted to miss it and none is idle or cold
 * (spec/flow-control section 8). Without predictions it lets everything go. Stateless; any thread.
 */
final class LatencySloAdmitter implements Admitter {

    static final String TYPE = "latency-slo-admitter";
    static final SortedSet<String> PARAMETERS = new TreeSet<>(List.of("latencyPredictionInfoProducerName"));
    /** KV use below which an endpoint has done next to nothing, so that nothing can be predicted from its past. */
    private static final double COLD = 0.02;
    private static final Denial DENIAL = new Denial(Denial.TOO_MANY_REQUESTS, "No model server can meet the latency objective");

    private final String name;
    private final Supplier<PoolView> pool;
    private final LatencyPredictions predictions;

    private LatencySloAdmitter(String name, Supplier<PoolView> pool, LatencyPredictions predictions) {
        this.name = name;
        this.pool = pool;
        this.predictions = predictions;
    }

    static LatencySloAdmitter of(String name, Map<String, ?> parameters, Supplier<PoolView> pool, LatencyPredictions predictions) {
        Parameters read = new Parameters(parameters, PARAMETERS);
        read.text("latencyPredictionInfoProducerName", "");
        return read.build(() -> new LatencySloAdmitter(name, pool, predictions));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public @Nullable Denial deny(AdmittedRequest request) {
        if (request.flowKey().priority() >= 0 || !hasObjective(request)) {
            return null;
        }
        boolean predicted = false;
        for (EndpointView endpoint : pool.get().endpoints()) {
            if (fresh(endpoint.sample())) {
                return null;
            }
            Prediction prediction = predictions.of(request, endpoint);
            if (prediction == Prediction.MEETS) {
                return null;
            }
            predicted |= prediction == Prediction.MISSES;
        }
        return predicted ? DENIAL : null;
    }

    private static boolean hasObjective(AdmittedRequest request) {
        return request.ttftSloNanos() > 0 || request.tpotSloNanos() > 0;
    }

    /** Idle or cold: a request finds it at its best. An endpoint that was never read is neither. */
    private static boolean fresh(@Nullable EngineSample sample) {
        return sample != null && (sample.running() == 0 || sample.kvCacheUsage() < COLD);
    }
}
