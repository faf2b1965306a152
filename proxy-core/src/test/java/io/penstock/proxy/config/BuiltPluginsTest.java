package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.detect.Detectors;
import io.penstock.flow.policy.Policies;
import io.penstock.proxy.config.PluginType.Role;
import io.penstock.proxy.config.PluginType.Support;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A type that the configuration takes is a type that can be made, and the other way round. */
class BuiltPluginsTest {

    private static Set<String> built(Role role) {
        return PluginType.all().stream().filter(type -> type.role() == role && type.support() == Support.BUILT).map(PluginType::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void policiesThatAreTakenCanBeMade() {
        assertThat(built(Role.FAIRNESS)).isEqualTo(new TreeSet<>(Policies.FAIRNESS));
        assertThat(built(Role.ORDERING)).isEqualTo(new TreeSet<>(Policies.ORDERING));
        assertThat(built(Role.USAGE_LIMIT)).isEqualTo(new TreeSet<>(Policies.USAGE_LIMIT));
        assertThat(built(Role.BAND_SELECTION)).isEqualTo(new TreeSet<>(Policies.BAND_SELECTION));
    }

    @Test
    void detectorsThatAreTakenCanBeMade() {
        assertThat(built(Role.DETECTOR)).isEqualTo(Detectors.types());
    }
}
