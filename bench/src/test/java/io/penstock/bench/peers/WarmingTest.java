package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.load.Protocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WarmingTest {

    private static final Jdk JDK = new Jdk(17, "17", Path.of("jdk"));
    private static final long PASS_NANOS = 6_000_000_000L;

    private final List<Scenario> played = new ArrayList<>();
    private long now;

    /** Passes of 6 s whose busy loop costs these microseconds, the last for ever; how many there were until it was done. */
    private int passes(Warming warming) {
        int passes = 0;
        do {
            warming.pass();
            passes++;
        } while (!warming.done());
        return passes;
    }

    private Warming costing(double... cpu) {
        return new Warming(List.of(Scenario.CLOSED_8X16, Scenario.FIRST_EVENT), kind -> {
            int pass = played.size() / 2;
            played.add(kind);
            now += PASS_NANOS / 2;
            return kind == Scenario.FIRST_EVENT ? Map.of(Metric.P50, 300.0) : Map.of(Metric.CPU, cpu[Math.min(pass, cpu.length - 1)]);
        }, Budget.FULL, () -> now);
    }

    @Test
    void aJvmThatCostsTheSameAtOnceIsWarmedForItsLeastTimeWithEveryKindOfLoadInTurn() {
        Warming warming = costing(20);
        assertThat(passes(warming)).isEqualTo(4);
        assertThat(warming.settled()).isTrue();
        assertThat(played).hasSize(8).startsWith(Scenario.CLOSED_8X16, Scenario.FIRST_EVENT, Scenario.CLOSED_8X16);
        assertThat(warming.text()).isEqualTo("4 passes of 2 kinds of load in 24 s, CPU +0.0 % against the pass before");
    }

    @Test
    void aJvmThatStillGetsCheaperIsWarmedOn() {
        Warming warming = costing(60, 50, 40, 30, 29);
        assertThat(passes(warming)).isEqualTo(5);
        assertThat(warming.settled()).isTrue();
    }

    @Test
    void aJvmThatNeverSettlesIsGivenUpAtTheCapAndSaysSo() {
        Warming warming = costing(20, 30, 20, 30, 20, 30, 20, 30, 20);
        assertThat(passes(warming)).isEqualTo(5);
        assertThat(warming.settled()).isFalse();
        assertThat(warming.text()).endsWith("NOT SETTLED");
    }

    @Test
    void loadsWithoutAnAccountAreWarmedByTimeAlone() {
        Warming warming = new Warming(List.of(Scenario.LATENCY), kind -> {
            now += PASS_NANOS;
            return Map.of(Metric.P50, 1.0);
        }, Budget.FULL, () -> now);
        assertThat(passes(warming)).isEqualTo(4);
        assertThat(warming.settled()).isTrue();
    }

    @Test
    void onlyTheTwoBusyLoopsAreForEveryTarget() {
        Target gated = Target.penstock(JDK, Protocol.HTTP1, Flow.GATED);
        assertThat(Scenario.of(true).stream().filter(each -> each.measures(gated)))
                .containsExactly(Scenario.CLOSED_8X16, Scenario.CLOSED_32X32);
        assertThat(Scenario.of(true)).allMatch(each -> each.measures(Target.peer(Kind.NGINX, Protocol.HTTP1)));
    }
}
