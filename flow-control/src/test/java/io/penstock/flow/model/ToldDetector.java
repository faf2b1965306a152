package io.penstock.flow.model;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import java.util.List;

/** Says what the script told it, or measures the endpoints' open leases. One thread. */
final class ToldDetector implements SaturationDetector {

    double told = 1.0;
    private final boolean byLoad;

    ToldDetector(boolean byLoad) {
        this.byLoad = byLoad;
    }

    @Override
    public String name() {
        return "told";
    }

    @Override
    public double saturation(List<EndpointView> endpoints, long nowNanos) {
        if (!byLoad) {
            return told;
        }
        int sum = endpoints.stream().mapToInt(EndpointView::inFlightRequests).sum();
        return endpoints.isEmpty() ? 1.0 : (double) sum / (endpoints.size() * Setup.SET_POINT);
    }

    @Override
    public double load(EndpointView endpoint, long nowNanos) {
        return endpoint.inFlightRequests();
    }

    @Override
    public boolean fits(EndpointView endpoint) {
        return true;
    }
}
