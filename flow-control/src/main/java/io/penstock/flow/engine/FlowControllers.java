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
        config.bands().forEach(band -> check(band.fairnessPolicyRef(), band.orderingPolicyRef(), with));
        check(config.template(1).fairnessPolicyRef(), config.template(1).orderingPolicyRef(), with);
        check(config.template(-1).fairnessPolicyRef(), config.template(-1).orderingPolicyRef(), with);
        return new DefaultFlowController(config, with);
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
