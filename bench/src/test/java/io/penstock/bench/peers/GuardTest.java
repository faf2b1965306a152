package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class GuardTest {

    private static final String BUSY = "closed-8x16";

    @TempDir
    private Path scratch;

    private static Results run(double... cpu) {
        Results results = new Results(cpu.length);
        double[] peer = new double[cpu.length];
        java.util.Arrays.fill(peer, 10);
        ResultsTest.cpu(results, "haproxy", BUSY, peer);
        ResultsTest.cpu(results, "penstock-17", BUSY, cpu);
        return results;
    }

    private static Guard.Verdict verdict(Results kept, Results fresh) {
        List<Guard.Line> lines = new Guard(0.05).compare(kept, fresh);
        assertThat(lines).hasSize(1);
        return lines.get(0).verdict();
    }

    @Test
    void aRatioBeyondBothRangesAndTheToleranceIsWorse() {
        assertThat(verdict(run(10, 11, 12), run(13, 14, 15))).isEqualTo(Guard.Verdict.WORSE);
        assertThat(verdict(run(13, 14, 15), run(10, 11, 12))).isEqualTo(Guard.Verdict.BETTER);
    }

    @Test
    void rangesThatTouchAreNoise() {
        assertThat(verdict(run(10, 11, 13), run(12, 14, 15))).isEqualTo(Guard.Verdict.SAME);
    }

    @Test
    void aMoveWithinTheToleranceIsNoise() {
        assertThat(verdict(run(10, 10, 10), run(10.4, 10.4, 10.4))).isEqualTo(Guard.Verdict.SAME);
        assertThat(verdict(run(10, 10, 10), run(10.6, 10.6, 10.6))).isEqualTo(Guard.Verdict.WORSE);
    }

    @Test
    void fewerRequestsASecondAreWorse() {
        Results kept = rates(50_000, 51_000);
        assertThat(verdict(kept, rates(40_000, 41_000))).isEqualTo(Guard.Verdict.WORSE);
        assertThat(verdict(kept, rates(60_000, 61_000))).isEqualTo(Guard.Verdict.BETTER);
        assertThat(verdict(kept, rates(50_500, 49_000))).isEqualTo(Guard.Verdict.SAME);
    }

    private static Results rates(double... values) {
        Results results = new Results(values.length);
        for (int round = 0; round < values.length; round++) {
            results.put("haproxy", BUSY, round, Map.of(Metric.PER_SECOND, 80_000.0));
            results.put("penstock-17", BUSY, round, Map.of(Metric.PER_SECOND, values[round]));
        }
        return results;
    }

    @Test
    void aMissingRowDoesNotPassAndANewOneDoes() {
        Results without = new Results(1);
        ResultsTest.cpu(without, "haproxy", BUSY, 10);
        List<Guard.Line> missing = new Guard(0.05).compare(run(10), without);
        assertThat(missing).singleElement().extracting(Guard.Line::verdict).isEqualTo(Guard.Verdict.MISSING);
        assertThat(Guard.passes(missing)).isFalse();
        Results more = run(10);
        ResultsTest.cpu(more, "penstock-17", "sse-flat", 3);
        ResultsTest.cpu(more, "haproxy", "sse-flat", 3);
        List<Guard.Line> lines = new Guard(0.05).compare(run(10), more);
        assertThat(lines).extracting(Guard.Line::verdict).containsExactly(Guard.Verdict.SAME, Guard.Verdict.NEW);
        assertThat(Guard.passes(lines)).isTrue();
    }

    @Test
    void zeroAndNothingInTheNewRunAreMissingAndInTheKeptOneNothingToCompare() {
        assertThat(verdict(run(10, 10), run(0, 0))).isEqualTo(Guard.Verdict.MISSING);
        assertThat(verdict(run(10, 10), run(Double.NaN, Double.NaN))).isEqualTo(Guard.Verdict.MISSING);
        assertThat(verdict(run(0, 10), run(10, 10))).isEqualTo(Guard.Verdict.NEW);
        assertThat(verdict(run(10, Double.NaN), run(Double.NaN, 10))).isEqualTo(Guard.Verdict.SAME);
    }

    @Test
    void runsWithNothingInCommonDoNotPass() {
        assertThat(Guard.passes(new Guard(0.05).compare(new Results(1), new Results(1)))).isFalse();
        assertThat(Guard.passes(new Guard(0.05).compare(new Results(1), run(10)))).isFalse();
    }

    @Test
    void flowControlOnIsComparedWithOff() {
        Results kept = new Results(1);
        ResultsTest.cpu(kept, "penstock-17", BUSY, 10);
        ResultsTest.cpu(kept, "penstock-17-off", BUSY, 10);
        Results fresh = new Results(1);
        ResultsTest.cpu(fresh, "penstock-17", BUSY, 12);
        ResultsTest.cpu(fresh, "penstock-17-off", BUSY, 10);
        assertThat(verdict(kept, fresh)).isEqualTo(Guard.Verdict.WORSE);
    }

    @Test
    void theCommandEndsWithOneWhereSomethingIsWorseAndSaysWhat() throws IOException {
        assertThat(guard(run(10, 11), run(10, 11))).startsWith("0 ").contains("passes");
        assertThat(guard(run(10, 11), run(20, 21))).startsWith("1 ").contains("WORSE").contains("penstock-17 closed-8x16 cpu / haproxy")
                .contains("DOES NOT PASS");
        Results failed = run(10, 11);
        failed.failures().add("round 1 nginx");
        assertThat(guard(run(10, 11), failed)).startsWith("1 ").contains("FAILED in the new run: round 1 nginx");
    }

    @Test
    void filesThatCannotBeReadAreNamed() throws IOException {
        Files.writeString(scratch.resolve("new.json"), "{\"format\":1,");
        Files.writeString(scratch.resolve("kept.json"), ResultsJson.write(run(10)));
        assertThat(run("--kept", "kept.json", "new.json")).startsWith("2 ").contains("new.json");
        assertThat(run("--kept", "none.json", "kept.json")).startsWith("2 ").contains("none.json");
        assertThat(run("--kept", "kept.json", "kept.json", "--tolerance", "NaN")).startsWith("2 ").contains("--tolerance: NaN");
    }

    private String guard(Results kept, Results fresh) throws IOException {
        Files.writeString(scratch.resolve("kept.json"), ResultsJson.write(kept));
        Files.writeString(scratch.resolve("new.json"), ResultsJson.write(fresh));
        return run("--kept", "kept.json", "new.json");
    }

    /** The exit code and what was printed. */
    private String run(String... arguments) {
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = arguments[i].endsWith(".json") ? scratch.resolve(arguments[i]).toString() : arguments[i];
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int code = new CommandLine(new GuardMain(new PrintStream(out, true))).execute(arguments);
        return code + " " + out;
    }
}
