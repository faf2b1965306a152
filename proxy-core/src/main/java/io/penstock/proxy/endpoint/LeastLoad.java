package io.penstock.proxy.endpoint;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the endpoint with the least of a stage's detector's own ratio, ties in turn. The drainer's, but for the static methods, which are
 * for any thread.
 *
 * <p>Of the candidates the first group that has a member counts: well and not yet tried by the request; well; not yet tried; any. So
 * neither ejection nor what a request has already tried can leave it without an endpoint while there is one. A full endpoint still counts
 * as a member: a request waits for it rather than going to a server that is known to fail.
 */
final class LeastLoad {

    private static final int WELL = 2;
    private static final int UNTRIED = 1;
    private static final int GROUPS = 4;

    private final Stage stage;
    private final SaturationDetector detector;
    private final boolean enforceLimits;
    private final int maxInFlight;
    private int turn;

    /**
     * @param stage what a request needs the endpoint for
     * @param detector that stage's
     * @param enforceLimits whether the detector's own limits per endpoint hold
     * @param maxInFlight requests that an endpoint may have, whatever the detector says
     */
    LeastLoad(Stage stage, SaturationDetector detector, boolean enforceLimits, int maxInFlight) {
        this.stage = stage;
        this.detector = detector;
        this.enforceLimits = enforceLimits;
        this.maxInFlight = maxInFlight;
    }

    /**
     * The endpoint, or null when all that may take the request are full.
     *
     * @param split whether the pool has stages, so that an endpoint is asked about for the part that it plays in this one
     */
    @Nullable Endpoint of(List<EndpointView> candidates, boolean split, AdmissionRequest request, long now) {
        Stage part = split ? stage : null;
        int group = group(candidates, request, now);
        int size = candidates.size();
        int start = turn < size ? turn : 0;
        Endpoint best = null;
        double bestLoad = Double.POSITIVE_INFINITY;
        int bestIndex = 0;
        for (int i = 0, at = start; i < size; i++, at = at + 1 < size ? at + 1 : 0) {
            Endpoint endpoint = (Endpoint) candidates.get(at);
            double load = detector.load(part, endpoint, now);
            // The load first: of many endpoints it leaves few to ask about the rest.
            if (best != null && !(load < bestLoad) || groupOf(endpoint, request, now) < group || endpoint.cordoned()
                    || !fits(part, endpoint)) {
                continue;
            }
            best = endpoint;
            bestLoad = load;
            bestIndex = at;
            if (load <= 0) {
                // Nothing is below idle, and of those that are the first in turn is meant.
                break;
            }
        }
        if (best != null) {
            turn = bestIndex + 1;
        }
        return best;
    }

    private boolean fits(@Nullable Stage part, Endpoint endpoint) {
        return (!enforceLimits || detector.fits(part, endpoint)) && endpoint.inFlightRequests() < maxInFlight;
    }

    /** The best group that any candidate is in. */
    static int group(List<EndpointView> candidates, @Nullable AdmissionRequest request, long now) {
        int best = 0;
        for (int i = 0; i < candidates.size() && best < GROUPS - 1; i++) {
            Endpoint endpoint = (Endpoint) candidates.get(i);
            if (!endpoint.cordoned()) {
                best = Math.max(best, groupOf(endpoint, request, now));
            }
        }
        return best;
    }

    static int groupOf(Endpoint endpoint, @Nullable AdmissionRequest request, long now) {
        int well = endpoint.available(now) ? WELL : 0;
        return request != null && request.excludes(endpoint) ? well : well + UNTRIED;
    }
}
