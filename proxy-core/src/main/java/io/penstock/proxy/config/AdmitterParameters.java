package io.penstock.proxy.config;

import io.penstock.flow.PoolView;
import io.penstock.proxy.admitter.Admitters;

/** Has the admitters' own factory check a plugin's parameters, and puts what it says where the parameter stands. Pure but for problems. */
final class AdmitterParameters {

    private AdmitterParameters() {
    }

    static void check(Field item, Field parameters, PluginSpec spec) {
        PluginProblems problems = new PluginProblems(item, parameters, Admitters.parameters(spec.type()));
        problems.check(() -> Admitters.create(spec.type(), spec.name(), spec.parameters(), () -> PoolView.EMPTY, () -> 0));
        if (spec.type().equals(Admitters.LATENCY_SLO)) {
            item.warning(spec.type() + ": lets every request go, since nothing predicts latencies yet");
        }
    }
}
