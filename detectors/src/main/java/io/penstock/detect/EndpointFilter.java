package io.penstock.detect;

import io.penstock.flow.EndpointView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A detector's other role: which endpoints a scheduling profile that lists it may still choose from (spec/flow-control section 5). Looks at
 * each endpoint by itself, whatever its stage; {@code headroom} counts here and nowhere else. Any thread.
 */
public interface EndpointFilter {

    /** Those that are kept, in their order. Nulls are dropped; whether a result may be empty is for the detector to say. */
    List<EndpointView> keep(List<? extends @Nullable EndpointView> endpoints, long nowNanos);
}
