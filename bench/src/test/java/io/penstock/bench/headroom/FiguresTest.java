package io.penstock.bench.headroom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class FiguresTest {

    private static Result result(double slotUse, long... waits) {
        Histogram histogram = new Histogram(100_000, 3);
        for (long wait : waits) {
            histogram.recordValue(wait);
        }
        Account account = new Account();
        account.attempted();
        account.ended(Outcome.SATURATED);
        account.attempted();
        account.ended(Outcome.DONE);
        return new Result(account.totals(), 2, slotUse, histogram, new OpenLoad.Measured(10, 0, new Histogram(1000, 3)), 0);
    }

    @Test
    void theMedianOfAnEvenNumberLiesInTheMiddle() {
        assertThat(Spread.of(4, 1, 3, 2)).isEqualTo(new Spread(1, 2.5, 4));
        assertThat(Spread.of(9)).isEqualTo(new Spread(9, 9, 9));
        assertThatThrownBy(Spread::of).hasMessageContaining("expected: one or more");
    }

    @Test
    void percentilesAreThoseOfTheWholeDistribution() {
        long[] waits = new long[100];
        for (int i = 0; i < waits.length; i++) {
            waits[i] = i + 1;
        }
        Result result = result(1, waits);
        assertThat(result.waitMedian()).isEqualTo(50);
        assertThat(result.waitP99()).isEqualTo(99);
        assertThat(result.refusedPercent()).isEqualTo(50);
        assertThat(result.goodput()).isEqualTo(5);
    }

    @Test
    void aCellShowsMedianAndRange() {
        List<Result> runs = List.of(result(0.9), result(0.8), result(0.999));
        assertThat(Figure.SLOTS.text(runs)).isEqualTo("90.0 (80.0-99.9)");
        assertThat(Figure.REFUSED.text(runs)).isEqualTo("50.0");
        assertThat(Figure.SLOTS.median(runs)).isEqualTo(90, Offset.offset(1e-9));
    }

    @Test
    void serviceTimesHaveTheMeanAndTheVariationAskedFor() {
        ServiceTimes times = new ServiceTimes(50, 0.5, 1);
        List<Double> drawn = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            drawn.add(times.next() / 1e6);
        }
        double mean = drawn.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
        double variance = drawn.stream().mapToDouble(one -> (one - mean) * (one - mean)).average().orElseThrow();
        assertThat(mean).isEqualTo(50, Offset.offset(0.5));
        assertThat(Math.sqrt(variance) / mean).isEqualTo(0.5, Offset.offset(0.01));
        times.pace(0.5);
        assertThat(new ServiceTimes(50, 0.5, 9).next() * 2.0).isEqualTo(paced().next(), Offset.offset(2.0));
    }

    private static ServiceTimes paced() {
        ServiceTimes times = new ServiceTimes(50, 0.5, 9);
        times.pace(0.5);
        return times;
    }

    @Test
    void answersInStepLeaveOnTheBeat() {
        ServiceTimes times = new ServiceTimes(50, 0.5, 1);
        times.step(25);
        for (long now : new long[] {-1_000_000_007L, 0, 123_456_789L}) {
            long delay = times.nextFrom(now);
            assertThat(Math.floorMod(now + delay, 25_000_000L)).isZero();
            assertThat(delay).isPositive();
        }
    }

    @Test
    void optionsAreReadOrRefusedByName() {
        ExperimentOptions options = ExperimentOptions.parse("--quick", "--only", "R=4$", "--rounds", "3", "--out", "x");
        assertThat(options.rounds()).isEqualTo(3);
        assertThat(options.out()).hasToString("x");
        assertThat(options.wants("matrix | aimd | R=4")).isTrue();
        assertThat(options.wants("matrix | aimd | R=40")).isFalse();
        assertThat(ExperimentOptions.parse().rounds()).isEqualTo(5);
        assertThatThrownBy(() -> ExperimentOptions.parse("--fast")).hasMessageContaining("--fast: no such option");
        assertThatThrownBy(() -> ExperimentOptions.parse("--rounds")).hasMessageContaining("nothing follows");
        assertThatThrownBy(() -> ExperimentOptions.parse("--rounds", "0")).hasMessageContaining("1 to 99");
    }

    @Test
    void noTwoCellsHaveTheSameKey() {
        List<Job> jobs = Matrix.jobs(new Cell.Times(1, 1), new Cell.Times(1, 1), new Cell.Times(1, 1));
        assertThat(jobs).extracting(job -> job.cell().key()).doesNotHaveDuplicates();
        assertThat(jobs).extracting(Job::picture).filteredOn(name -> !name.isEmpty()).doesNotHaveDuplicates();
    }
}
