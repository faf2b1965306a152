package io.penstock.flow.policy;

import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;

/**
 * The parameters of {@code starvation-bound-policy}. Immutable.
 *
 * @param maxWaitNanos how long the head of a band may wait for the bands above it, more than 0
 * @param share one dispatch in so many goes to bands whose head has waited longer, 1 to {@value #MOST_SHARE}
 */
record StarvationBoundConfig(long maxWaitNanos, long share) {

    static final String TYPE = "starvation-bound-policy";
    static final SortedSet<String> PARAMETERS = Policies.sorted("maxWait", "share");

    private static final long MOST_SHARE = 1_000_000;
    private static final long DEFAULT_MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long DEFAULT_SHARE = 10;

    StarvationBoundConfig {
        Problems problems = new Problems();
        problems.positiveDuration("maxWait", maxWaitNanos);
        if (share < 1 || share > MOST_SHARE) {
            problems.add("share", share, "1 to " + MOST_SHARE);
        }
        problems.throwIfAny();
    }

    static StarvationBoundConfig from(Map<String, ?> values) {
        Parameters parameters = new Parameters(values, PARAMETERS);
        long maxWait = parameters.nanos("maxWait", DEFAULT_MAX_WAIT_NANOS);
        long share = parameters.integer("share", DEFAULT_SHARE);
        return parameters.build(() -> new StarvationBoundConfig(maxWait, share));
    }
}
