package io.penstock.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The arrows of the diagram, written out once more by hand. */
class PhaseTest {

    @Test
    void theArrowsAreThoseOfTheDiagram() {
        String arrows = Arrays.stream(Phase.values()).map(from -> from + " -> " + targets(from)).collect(Collectors.joining("\n"));
        assertThat(arrows).isEqualTo("""
                RECEIVED -> [QUEUED, CONNECTING, REPLYING, RESET, CANCELLED]
                QUEUED -> [CONNECTING, REPLYING, RESET, CANCELLED]
                CONNECTING -> [QUEUED, CONNECTING, FORWARDING, REPLYING, RESET, CANCELLED]
                FORWARDING -> [QUEUED, CONNECTING, RESPONDING, REPLYING, RESET, CANCELLED]
                RESPONDING -> [DONE, RESET, CANCELLED]
                REPLYING -> [DONE, RESET, CANCELLED]
                DONE -> []
                RESET -> []
                CANCELLED -> []""");
    }

    private static List<Phase> targets(Phase from) {
        return Arrays.stream(Phase.values()).filter(from::canMoveTo).toList();
    }

    @Test
    void aResponseMayStillBeginInTheFirstFourPhases() {
        assertThat(Arrays.stream(Phase.values()).filter(Phase::beforeResponse)).containsExactly(Phase.RECEIVED, Phase.QUEUED,
                Phase.CONNECTING, Phase.FORWARDING);
        assertThat(Arrays.stream(Phase.values()).filter(Phase::over)).containsExactly(Phase.DONE, Phase.RESET, Phase.CANCELLED);
    }
}
