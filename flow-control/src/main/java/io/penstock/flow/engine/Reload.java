package io.penstock.flow.engine;

import io.penstock.flow.config.FlowControlConfig;

/**
 * What a running controller shall be like from now on. Immutable.
 *
 * @param config limits, budgets and bands
 * @param with policies and detectors; placement, pool, clock, events and hooks are not taken over
 */
record Reload(FlowControlConfig config, Collaborators with) {
}
