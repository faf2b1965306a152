package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.load.Protocol;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OrderTest {

    private static final Jdk JDK = new Jdk(17, "17.0.1", Path.of("jdk"));
    private static final List<Target> TARGETS = Target.all(List.of(JDK), false, false);

    private static List<String> names(List<Target> targets, int round) {
        return Order.of(targets, round).stream().map(Target::name).toList();
    }

    @Test
    void flowControlOnAndOffStandAsABBAAndSwapEachRound() {
        assertThat(names(TARGETS, 0)).containsSequence("penstock-17", "penstock-17-off", "penstock-17-off", "penstock-17");
        assertThat(names(TARGETS, 1)).containsSequence("penstock-17-off", "penstock-17", "penstock-17", "penstock-17-off");
    }

    @Test
    void h2cStandsBesideThePeerThatDoesTheSameAndSwapsEachRound() {
        assertThat(names(TARGETS, 0)).containsSequence("haproxy-h2c", "penstock-17-h2c");
        assertThat(names(TARGETS, 1)).containsSequence("penstock-17-h2c", "haproxy-h2c");
    }

    @Test
    void everyRoundHasEveryTargetAndAnotherOneFirst() {
        List<List<String>> rounds = List.of(names(TARGETS, 0), names(TARGETS, 1), names(TARGETS, 2));
        assertThat(rounds).allSatisfy(round -> assertThat(new HashSet<>(round)).hasSameSizeAs(TARGETS));
        assertThat(rounds.stream().map(round -> round.get(0))).containsExactly("direct", "haproxy", "nginx");
        assertThat(rounds).allSatisfy(round -> assertThat(round).hasSize(TARGETS.size() + 2));
    }

    @Test
    void whoHasNoCounterpartIsMeasuredOnce() {
        Target alone = Target.penstock(JDK, Protocol.HTTP1, Flow.OFF);
        assertThat(Order.of(List.of(alone), 3)).containsExactly(alone);
        assertThat(Order.of(List.of(), 1)).isEmpty();
    }

    @Test
    void whatIsMeasuredTwiceCountsAsItsMean() {
        assertThat(Metric.means(List.of(Map.of(Metric.CPU, 10.0, Metric.OWN, 3.0), Map.of(Metric.CPU, 14.0))))
                .isEqualTo(Map.of(Metric.CPU, 12.0, Metric.OWN, 3.0));
        assertThat(Metric.means(List.of())).isEmpty();
    }
}
