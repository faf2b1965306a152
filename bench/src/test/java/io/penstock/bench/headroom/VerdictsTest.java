package io.penstock.bench.headroom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class VerdictsTest {

    private final List<Job> jobs = new ArrayList<>();
    private final Map<String, List<Result>> results = new LinkedHashMap<>();

    private void cell(Law law, int dispatchers, int refused, int of, double slots, long wait) {
        cell(Cell.of(Matrix.MAIN, law, dispatchers, 16, 0.2, new Cell.Times(1, 1)), refused, of, slots, wait);
    }

    private void cell(Cell cell, int refused, int of, double slots, long wait) {
        Account account = new Account();
        for (int i = 0; i < of; i++) {
            account.attempted();
            account.ended(i < refused ? Outcome.SATURATED : Outcome.DONE);
        }
        Histogram waits = new Histogram(100_000, 3);
        waits.recordValue(wait);
        jobs.add(Job.of(cell));
        results.put(cell.key(), List.of(new Result(account.totals(), 1, slots, waits,
                new OpenLoad.Measured(0, 0, new Histogram(1000, 3)), 0)));
    }

    @Test
    void eachExpectationIsHeldAgainstEachCell() {
        cell(Law.BLIND, 1, 95, 100, 0.99, 30);
        cell(Law.AIMD, 1, 2, 100, 0.95, 40);
        cell(Law.CREDIT, 1, 0, 100, 0.98, 19);
        cell(Law.BLIND, 4, 89, 100, 0.99, 30);
        cell(Law.AIMD, 4, 7, 100, 0.95, 40);
        cell(Law.CREDIT, 4, 1, 100, 0.95, 30);
        String text = new Verdicts(jobs, results).text();
        assertThat(text)
                .contains("| blind: more than 90 % of attempts refused | 1 of 2 | 89.00 % (band 16, load 20 %, R=4) |")
                .contains("| aimd: less than 5 % refused | 1 of 2 | 7.00 % (band 16, load 20 %, R=4) |")
                .contains("| credit: none refused | 1 of 2 | 1.00 % (band 16, load 20 %, R=4) |")
                .contains("| credit: slots busy within 3 points of blind | 1 of 2 | 4.00 points below (band 16, load 20 %, R=4) |")
                .contains("half of aimd's (all rounds together) | 1 of 2 | 0.75 of aimd's (band 16, load 20 %, R=4) |")
                .doesNotContain("level").doesNotContain("admission");
    }

    @Test
    void thePageHasATableForEveryGroupThatWasMeasured() {
        cell(Law.AIMD, 4, 2, 100, 0.95, 40);
        ExperimentOptions options = ExperimentOptions.parse("--quick");
        String page = new Report(jobs, results, options, "", new Report.Machine(1.5, 2, 61)).text();
        assertThat(page).contains("load average 1.5 before and 2.0 after").contains("1 min 1 s")
                .contains("## Band of 16, interactive load 20 %").contains("| aimd | 4 | 2.0 | 95.0 | 0 | 0 | 40 | 40 | 0 |")
                .doesNotContain("## Ablations").doesNotContain("Nothing is lost");
    }

    @Test
    void newTablesGoToTheirPlacesInTheProse() {
        String page = "a\n<!-- one -->\nold\n<!-- end -->\nb\n<!-- two -->\nkept\n<!-- end -->\nc\n";
        assertThat(Page.with(page, Map.of("one", "new\n", "two", "")))
                .isEqualTo("a\n<!-- one -->\nnew\n<!-- end -->\nb\n<!-- two -->\nkept\n<!-- end -->\nc\n");
        assertThatThrownBy(() -> Page.with(page, Map.of("three", "x"))).hasMessageContaining("<!-- three -->");
    }

    @Test
    void thePageOfProseHasEveryPlace() throws IOException {
        Path page = Path.of(System.getProperty("penstock.root")).resolve("docs/headroom.md");
        assertThat(Page.with(Files.readString(page), new Glance(List.of(), Map.of()).tables(""))).isEqualTo(Files.readString(page));
    }

    @Test
    void atAGlanceTheCellsAreInTheOrderOfTheHeading() {
        for (int band : Matrix.BANDS) {
            for (int dispatchers : Matrix.DISPATCHERS) {
                for (Law law : Law.values()) {
                    cell(Cell.of(Matrix.MAIN, law, dispatchers, band, 0.2, new Cell.Times(1, 1)), dispatchers, 100, 0.5, band);
                }
            }
        }
        assertThat(new Glance(jobs, results).tables("").get("matrix 20")).contains("| `aimd` | 1.0 / 50.0 / 16 ms | 4.0 / 50.0 / 16 ms | "
                + "16.0 / 50.0 / 16 ms | 1.0 / 50.0 / 64 ms | 4.0 / 50.0 / 64 ms | 16.0 / 50.0 / 64 ms |\n");
    }
}
