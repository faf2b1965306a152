package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static final String BUSY = "closed-8x16";

    private static Results measured(double penstock, double haproxy, double envoy) {
        Results results = new Results(1);
        results.head().put("date", "2026-11-30");
        ResultsTest.cpu(results, "haproxy", BUSY, haproxy);
        ResultsTest.cpu(results, "envoy", BUSY, envoy);
        ResultsTest.cpu(results, "penstock-17", BUSY, penstock);
        return results;
    }

    private static Contract.Row row(Results results, String part) {
        return Contract.rows(results).stream().filter(each -> each.what().contains(part)).findFirst().orElseThrow();
    }

    @Test
    void aFigureIsMetAtItsGoalFloorMetAtItsFloorAndNotMetBeyond() {
        assertThat(row(measured(9.5, 10, 50), "against haproxy").verdict()).isEqualTo("met");
        assertThat(row(measured(14, 10, 50), "against haproxy").verdict()).isEqualTo("floor met");
        assertThat(row(measured(14.1, 10, 50), "against haproxy").verdict()).isEqualTo("NOT MET");
        assertThat(row(measured(15, 10, 50), "against envoy").verdict()).isEqualTo("met");
        assertThat(row(measured(22.5, 10, 50), "against envoy").verdict()).isEqualTo("floor met");
        assertThat(row(measured(22.6, 10, 50), "against envoy").verdict()).isEqualTo("NOT MET");
        assertThat(row(measured(9.5, 10, 50), "against haproxy").goalText()).isEqualTo("0.95 x, floor 1.4 x");
    }

    @Test
    void aPeerThatWasNotMeasuredMeetsNothing() {
        Results results = new Results(1);
        ResultsTest.cpu(results, "penstock-17", BUSY, 10);
        assertThat(row(results, "against haproxy").verdict()).isEqualTo("not measured");
        assertThat(Contract.rows(results)).noneMatch(row -> row.verdict().equals("met"));
    }

    @Test
    void theOtherFiguresAreHeldToTheirOwnBounds() {
        Results results = measured(10, 10, 50);
        ResultsTest.cpu(results, "penstock-17-off", BUSY, 9.4);
        results.put("penstock-17", BUSY, 0, Map.of(Metric.RSS, 257.0));
        results.put("penstock-17", Results.ALWAYS, 0, Map.of(Metric.START, 699.0));
        results.put("penstock-17", "rate-10000", 0, Map.of(Metric.OWN, 11.0));
        results.put("direct", "latency-1x1", 0, Map.of(Metric.MEAN, 10.0, Metric.P99, 20.0));
        results.put("envoy", "latency-1x1", 0, Map.of(Metric.MEAN, 110.0, Metric.P99, 220.0));
        results.put("penstock-17", "latency-1x1", 0, Map.of(Metric.MEAN, 60.0, Metric.P99, 240.0));
        assertThat(row(results, "flow control on").verdict()).isEqualTo("NOT MET");
        assertThat(row(results, "resident").verdict()).isEqualTo("NOT MET");
        assertThat(row(results, "start to /ready").verdict()).isEqualTo("met");
        assertThat(row(results, "dispatch p50").verdict()).isEqualTo("met");
        assertThat(row(results, "added mean").measured().median()).isEqualTo(0.5);
        assertThat(row(results, "added p99").verdict()).isEqualTo("NOT MET");
    }

    @Test
    void everyTargetAndItsRatiosStandInTheTable() {
        Results results = measured(9.5, 10, 50);
        ResultsTest.cpu(results, "haproxy-h2c", BUSY, 8);
        ResultsTest.cpu(results, "penstock-17-h2c", BUSY, 6);
        String report = Report.of(results);
        assertThat(report).contains("* date: 2026-11-30", "**closed-8x16**");
        assertThat(report.lines().filter(line -> line.startsWith("| penstock-17 "))).singleElement().asString()
                .contains("9.5", "0.95", "0.19");
        assertThat(report.lines().filter(line -> line.startsWith("| penstock-17-h2c "))).singleElement().asString()
                .as("h2c out is compared with h2c out").contains("0.75");
        assertThat(report).doesNotContain("sse-flat**");
        assertThat(report.lines().filter(line -> line.startsWith("|")).map(String::length).distinct().count())
                .as("one width for each table").isLessThanOrEqualTo(2);
    }

    @Test
    void failuresStandFirst() {
        Results results = measured(1, 1, 1);
        results.failures().add("round 1/3 nginx: h2load: 9 of 10");
        assertThat(Report.of(results)).startsWith("**FAILED**: round 1/3 nginx: h2load: 9 of 10");
    }

    @Test
    void onlyThePlaceForFiguresOfThePageChanges() {
        String page = "a\n<!-- wire: begin, written by bench/run --keep -->\nold\n<!-- wire: end -->\nz\n";
        assertThat(Kept.page(page, "new")).startsWith("a\n<!-- wire").contains("\n\nnew\n\n").endsWith("<!-- wire: end -->\nz\n")
                .doesNotContain("old");
        assertThat(Kept.page(Kept.page(page, "x"), "new")).isEqualTo(Kept.page(page, "new"));
        assertThatThrownBy(() -> Kept.page("nothing", "new")).hasMessageContaining("no place for figures");
    }

    @Test
    void ownTimeIsReadBetweenTwoPages() {
        String before = bucket("5e-06", 10) + bucket("1e-05", 20) + bucket("+Inf", 20);
        String after = bucket("5e-06", 10) + bucket("1e-05", 120) + bucket("+Inf", 120);
        assertThat(OwnTime.parse(after).microsSince(OwnTime.parse(before), 0.5)).isBetween(7.4, 7.6);
        assertThat(OwnTime.parse(after).microsSince(OwnTime.parse(after), 0.5)).isNaN();
        assertThat(OwnTime.parse("").microsSince(OwnTime.parse(""), 0.5)).isNaN();
    }

    private static String bucket(String bound, int count) {
        return "penstock_dispatch_own_time_seconds_bucket{le=\"" + bound + "\"} " + count + "\n";
    }

    @Test
    void aClosedLoopIsSizedByItsCpuAndItsTime() {
        assertThat(Measuring.requests(Map.of(Metric.PER_SECOND, 80_000.0, Metric.CPU, 10.0), Budget.FULL, 8)).isEqualTo(150_000);
        assertThat(Measuring.requests(Map.of(Metric.PER_SECOND, 1_000.0, Metric.CPU, 10.0), Budget.FULL, 8)).isEqualTo(4_000);
        assertThat(Measuring.requests(Map.of(Metric.PER_SECOND, 1_000.0, Metric.CPU, 0.0), Budget.FULL, 8)).isEqualTo(4_000);
        assertThat(Measuring.requests(Map.of(Metric.PER_SECOND, 2_000.0), Budget.FULL, 8)).as("without a target").isEqualTo(3_000);
        assertThat(Measuring.requests(Map.of(Metric.PER_SECOND, 0.1), Budget.FULL, 8)).isEqualTo(8);
    }

    @Test
    void onlyLeavesWhatIsNamedAndNamesWhatFitsNothing() {
        List<Target> targets = Target.all(List.of(new Jdk(17, "17.0.1", java.nio.file.Path.of("/jdk"))), true, false);
        assertThat(targets).extracting(Target::name)
                .contains("envoy-picker", "penstock-17", "penstock-17-off", "penstock-17-h2c", "direct");
        Choice choice = Choice.of(targets, Scenario.of(false), List.of("penstock*", "closed-8x16"));
        assertThat(choice.targets()).extracting(Target::name).allMatch(name -> name.startsWith("penstock"));
        assertThat(choice.scenarios()).containsExactly(Scenario.CLOSED_8X16);
        assertThat(Choice.of(targets, Scenario.of(false), List.of()).targets()).isEqualTo(targets);
        assertThat(Choice.of(targets, Scenario.of(false), List.of("a.*", "sse-1")).problems()).hasSize(2);
        assertThat(Choice.of(targets, Scenario.of(true), List.of("sse-1")).problems()).isEmpty();
    }
}
