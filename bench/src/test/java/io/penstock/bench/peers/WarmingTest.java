package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.load.Protocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarmingTest {

    private static final long SLICE_NANOS = 2_000_000_000L;

    @TempDir
    private Path scratch;
    private final List<Long> slices = new ArrayList<>();
    private long now;

    /** Slices of 2 s that cost these microseconds, the last for ever. */
    private Warming.Result settle(double... cpu) {
        try (Rig rig = new Rig(scratch, new Cores(-1, -1), new Tools(Map.of(), scratch), new PenstockLaunch(scratch, ""), null)) {
            Warming warming = new Warming(new Measuring(rig, scratch, Budget.FULL), Budget.FULL, () -> now);
            return warming.settle(0, requests -> {
                slices.add(requests);
                now += SLICE_NANOS;
                return Map.of(Metric.CPU, cpu[Math.min(slices.size(), cpu.length) - 1], Metric.PER_SECOND, 30_000.0);
            });
        }
    }

    @Test
    void aJvmThatCostsTheSameAtOnceIsWarmedForItsLeastTimeAllTheSame() {
        Warming.Result result = settle(20);
        assertThat(result.settled()).isTrue();
        assertThat(result.time()).isEqualTo(Budget.FULL.warm());
        assertThat(slices).startsWith(1_000L, 60_000L, 60_000L);
    }

    @Test
    void aJvmThatStillGetsCheaperIsWarmedOn() {
        Warming.Result result = settle(60, 58, 56, 54, 50, 46, 42, 38, 34, 30, 27, 24, 21, 20.5);
        assertThat(result.settled()).isTrue();
        assertThat(result.cpuMicros()).isEqualTo(20.5);
        assertThat(slices).hasSize(14);
        assertThat(result.text()).isEqualTo("20.5 us CPU/request after 28 s, -2.4 % against the slice before");
    }

    @Test
    void aJvmThatNeverSettlesIsGivenUpAtTheCapAndSaysSo() {
        Warming.Result result = settle(alternating());
        assertThat(result.settled()).isFalse();
        assertThat(result.time()).isEqualTo(Budget.FULL.warmCap());
        assertThat(result.text()).endsWith("NOT SETTLED");
    }

    private static double[] alternating() {
        double[] cpu = new double[100];
        for (int i = 0; i < cpu.length; i++) {
            cpu[i] = i % 2 == 0 ? 20 : 30;
        }
        return cpu;
    }

    @Test
    void onlyTheTwoBusyLoopsAreForEveryTarget() {
        Target gated = Target.penstock(new Jdk(17, "17", scratch), Protocol.HTTP1, Flow.GATED);
        assertThat(Scenario.of(true).stream().filter(each -> each.measures(gated)))
                .containsExactly(Scenario.CLOSED_8X16, Scenario.CLOSED_32X32);
        assertThat(Scenario.of(true)).allMatch(each -> each.measures(Target.peer(Kind.NGINX, Protocol.HTTP1)));
    }
}
