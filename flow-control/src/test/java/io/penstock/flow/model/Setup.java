package io.penstock.flow.model;

import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import java.util.List;

/**
 * What a script starts from, and what a reload changes. Immutable.
 *
 * @param config the section {@code flowControl}
 * @param ceilings how the bands' ceilings are set
 * @param selection which band is asked first
 * @param roles label {@code llm-d.ai/role} of each endpoint there ever is
 * @param stages whether each stage has a detector of its own, besides the default one
 * @param byLoad whether detectors measure the endpoints' load, or say what the script told them
 */
record Setup(FlowControlConfig config, Ceilings ceilings, Selection selection, List<String> roles, boolean stages, boolean byLoad) {

    /** In-flight requests of one endpoint that make its load 1.0. */
    static final int SET_POINT = 2;

    /**
     * The usage-limit policy.
     *
     * @param type of the plugin
     * @param lowest the threshold of a static one, {@code minCeiling} of a holdback
     * @param byValue {@code value} instead of {@code rank}
     */
    record Ceilings(String type, double lowest, boolean byValue) {
    }

    /**
     * The band selection policy.
     *
     * @param type of the plugin, or {@code strict}
     * @param maxWaitMillis of a starvation bound
     * @param share of a starvation bound
     */
    record Selection(String type, long maxWaitMillis, int share) {
    }

    Setup with(FlowControlConfig other) {
        return new Setup(other, ceilings, selection, roles, stages, byLoad);
    }

    /** What a reload may change of it. */
    Setup reloaded(Setup other) {
        return new Setup(other.config, other.ceilings, other.selection, roles, stages, byLoad);
    }

    /** As a person would write it down, one line a band. */
    String print() {
        StringBuilder text = new StringBuilder("  global requests " + config.maxRequests() + ", bytes " + config.maxBytes() + ", ttl "
                + config.requestTtlNanos() + ", no-endpoint ttl " + config.noEndpointTtlNanos() + ", gate on " + config.gateOn()
                + (config.evicts() ? ", evicts with grace " + config.evictionGraceNanos() : "") + '\n');
        text.append("  ").append(ceilings).append(", ").append(selection).append(", roles ").append(roles)
                .append(stages ? ", detector per stage" : "").append(byLoad ? ", by load" : "").append('\n');
        text.append("  template ").append(band(config.defaultBand())).append('\n');
        if (config.defaultNegativeBand() != null) {
            text.append("  negative ").append(band(config.defaultNegativeBand())).append('\n');
        }
        config.bands().forEach(band -> text.append("  band ").append(band(band)).append('\n'));
        return text.toString();
    }

    private static String band(BandConfig band) {
        return band.priority() + ": requests " + band.maxRequests() + ", bytes " + band.maxBytes() + ", ttl " + band.requestTtlNanos()
                + ", " + band.fairnessPolicyRef() + ", " + band.orderingPolicyRef();
    }
}
