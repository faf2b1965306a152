package io.penstock.detect;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Saturation from the proxy's own exact count of requests and tokens in flight (spec/flow-control section 5.2): the whole list's load over
 * the whole list's limit, or in hybrid mode the mean of each endpoint's fuller side. It keeps no copy of a count, so what the drainer
 * charged a moment ago is seen. Without state: any thread, but only the drainer's answers are exact.
 */
final class ConcurrencyDetector implements SaturationDetector, EndpointFilter {

    static final String TYPE = "concurrency-detector";

    private final String name;
    private final ConcurrencyMode mode;
    private final long maxRequests;
    private final long maxTokens;
    private final double headroom;

    ConcurrencyDetector(String name, ConcurrencyConfig config) {
        this.name = name;
        this.mode = config.mode();
        this.maxRequests = config.maxConcurrency();
        this.maxTokens = config.maxTokenConcurrency();
        this.headroom = config.headroom();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double saturation(List<EndpointView> endpoints, long nowNanos) {
        int count = endpoints.size();
        if (count == 0) {
            return 1.0;
        }
        return switch (mode) {
            case REQUESTS -> requests(endpoints) / ((double) maxRequests * count);
            case TOKENS -> tokens(endpoints) / ((double) maxTokens * count);
            case HYBRID -> fullerSides(endpoints) / count;
        };
    }

    @Override
    public double load(EndpointView endpoint, long nowNanos) {
        return ratio(endpoint);
    }

    @Override
    public boolean fits(EndpointView endpoint) {
        return (!mode.countsRequests() || endpoint.inFlightRequests() < maxRequests)
                && (!mode.countsTokens() || endpoint.inFlightTokens() < maxTokens);
    }

    /**
     * {@inheritDoc} Kept are those below the limits, which are stretched by the headroom and cut to whole ones. None may be left.
     */
    @Override
    public List<EndpointView> keep(List<? extends @Nullable EndpointView> endpoints, long nowNanos) {
        long requestLimit = (long) (maxRequests * (1 + headroom));
        long tokenLimit = (long) (maxTokens * (1 + headroom));
        List<EndpointView> kept = new ArrayList<>(endpoints.size());
        for (EndpointView endpoint : endpoints) {
            if (endpoint != null && (!mode.countsRequests() || endpoint.inFlightRequests() < requestLimit)
                    && (!mode.countsTokens() || endpoint.inFlightTokens() < tokenLimit)) {
                kept.add(endpoint);
            }
        }
        return kept;
    }

    // Sums are doubles: exact up to 2^53, and beyond that they cannot wrap around and open the gate.

    private static double requests(List<EndpointView> endpoints) {
        double sum = 0;
        for (int i = 0; i < endpoints.size(); i++) {
            sum += endpoints.get(i).inFlightRequests();
        }
        return sum;
    }

    private static double tokens(List<EndpointView> endpoints) {
        double sum = 0;
        for (int i = 0; i < endpoints.size(); i++) {
            sum += endpoints.get(i).inFlightTokens();
        }
        return sum;
    }

    private double fullerSides(List<EndpointView> endpoints) {
        double sum = 0;
        for (int i = 0; i < endpoints.size(); i++) {
            sum += ratio(endpoints.get(i));
        }
        return sum;
    }

    // Divided, never multiplied by a reciprocal: 49 * (1.0 / 49) is below 1 and would leave a full endpoint open.
    private double ratio(EndpointView endpoint) {
        double requests = mode.countsRequests() ? endpoint.inFlightRequests() / (double) maxRequests : 0;
        double tokens = mode.countsTokens() ? endpoint.inFlightTokens() / (double) maxTokens : 0;
        return Math.max(requests, tokens);
    }
}
