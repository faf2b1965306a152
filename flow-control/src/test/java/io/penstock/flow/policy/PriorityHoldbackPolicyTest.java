package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.policy.PriorityHoldbackConfig.Domain;
import org.junit.jupiter.api.Test;

/** Where the ceilings lie, to the last bit: a saturation on a ceiling stops the band. */
class PriorityHoldbackPolicyTest {

    @Test
    void aSaturationOfFourSixthsIsOnTheCeilingOfABandTwoThirdsUp() {
        double[] ceilings = ceilings(0, Domain.VALUE, 7, 3, 0, -5);

        assertThat(ceilings[1]).isEqualTo(4.0 / 6);
    }

    @Test
    void ranksFallInEqualSteps() {
        assertThat(ceilings(0.25, Domain.RANK, 7, 3, 0, -5)).containsExactly(1, 0.75, 0.5, 0.25);
    }

    @Test
    void oneBandHasTheHighestCeiling() {
        assertThat(ceilings(0.25, Domain.RANK, 3)).containsExactly(1);
        assertThat(ceilings(0.25, Domain.VALUE, 3)).containsExactly(1);
    }

    private static double[] ceilings(double lowest, Domain domain, int... priorities) {
        double[] ceilings = new double[priorities.length];
        new PriorityHoldbackPolicy(new PriorityHoldbackConfig(lowest, 1, domain)).ceilings(0.5, priorities, ceilings);
        return ceilings;
    }
}
