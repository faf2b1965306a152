package io.penstock.proxy.admitter;

import io.penstock.flow.EndpointView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.PoolView;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns sheddable requests away with a chance that rises with the model servers' load (spec/flow-control section 8): the mean of each
 * server's fuller side, to a power, times a factor. A server that was never read counts as full; how old a reading is does not matter.
 * Stateless; any thread.
 */
final class ProbabilisticAdmitter implements Admitter {

    static final String TYPE = "probabilistic-admitter";
    private static final Denial DENIAL = new Denial(Denial.TOO_MANY_REQUESTS,
            "The model servers are too busy for a request of this priority");

    private final String name;
    private final ProbabilisticSettings settings;
    private final Supplier<PoolView> pool;
    private final DoubleSupplier random;

    ProbabilisticAdmitter(String name, ProbabilisticSettings settings, Supplier<PoolView> pool, DoubleSupplier random) {
        this.name = name;
        this.settings = settings;
        this.pool = pool;
        this.random = random;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public @Nullable Denial deny(AdmittedRequest request) {
        if (request.flowKey().priority() >= 0) {
            return null;
        }
        List<EndpointView> endpoints = pool.get().endpoints();
        return !endpoints.isEmpty() && random.getAsDouble() < chance(endpoints) ? DENIAL : null;
    }

    /** From 0 to 1. */
    private double chance(List<EndpointView> endpoints) {
        double sum = 0;
        for (int i = 0; i < endpoints.size(); i++) {
            sum += load(endpoints.get(i).sample());
        }
        return Math.min(1, Math.pow(sum / endpoints.size(), settings.power()) * settings.k());
    }

    private double load(@Nullable EngineSample sample) {
        return sample == null ? 1
                : Math.max(sample.waiting() / settings.queueDepthThreshold(), sample.kvCacheUsage() / settings.kvCacheUtilThreshold());
    }
}
