package io.penstock.flow.engine;

import io.penstock.flow.FlowController;
import io.penstock.flow.config.FlowControlConfig;

/** Makes flow controllers. Stateless, any thread. */
public final class FlowControllers {

    private FlowControllers() {
    }

    /**
     * Flow control, switched on.
     *
     * @throws IllegalArgumentException when a band or a template names a policy that {@code with} does not know
     */
    public static FlowController create(FlowControlConfig config, Collaborators with) {
        check(config, with);
        return new DefaultFlowController(config, with);
    }

    /**
     * Gives a running controller new limits, budgets, bands, policies, detectors and a new usage limit and band selection, without losing a
     * request that waits: it keeps its place in its band, also when the band is over its new limit, and is put into the new order where
     * that has changed. The drainer takes all of it over in one step; of several changes that it has not seen yet, the newest wins.
     * Placement, pool, clock, events and hooks stay what they were at the start. Any thread; returns at once.
     *
     * <p>Every band that is not static follows its template. A static band that is not in the new configuration becomes one of those: it
     * stays until it is empty, unless it is provisioned; after that, requests for it fall back to band 0. A band whose policy reference is
     * the same and whose {@code fairness} or {@code ordering} function is the same object as before keeps its policy, and with it its turns
     * and debts; any other starts afresh.
     *
     * @param controller made by this class; one that was made by {@link #shedding} takes over the default detector and nothing else
     * @throws IllegalArgumentException when a band or a template names a policy that {@code with} does not know; then nothing has changed
     */
    public static void reconfigure(FlowController controller, FlowControlConfig config, Collaborators with) {
        check(config, with);
        if (!(controller instanceof Reconfigurable running)) {
            throw new IllegalArgumentException("controller: " + controller + " (expected: one made by FlowControllers)");
        }
        running.reconfigure(config, with);
    }

    private static void check(FlowControlConfig config, Collaborators with) {
        config.bands().forEach(band -> check(band.fairnessPolicyRef(), band.orderingPolicyRef(), with));
        check(config.template(1).fairnessPolicyRef(), config.template(1).orderingPolicyRef(), with);
        check(config.template(-1).fairnessPolicyRef(), config.template(-1).orderingPolicyRef(), with);
    }

    /** Flow control, switched off: no queue, only sheddable requests are refused under saturation (spec/flow-control section 8). */
    public static FlowController shedding(Collaborators with) {
        return new SheddingController(with);
    }

    /** Now, not when the first band is made from the template. */
    private static void check(String fairness, String ordering, Collaborators with) {
        with.fairness().apply(fairness);
        with.ordering().apply(ordering);
    }
}
