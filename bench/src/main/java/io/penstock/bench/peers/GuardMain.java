package io.penstock.bench.peers;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command behind {@code bench/guard}: says whether a run's ratios are worse than the kept ones. One thread. */
@Command(name = "bench/guard", mixinStandardHelpOptions = true,
        description = "Compares a run's ratios with the kept ones; ends with 1 where one is worse than noise, or missing.")
public final class GuardMain implements Callable<Integer> {

    @Option(names = "--kept", paramLabel = "FILE", description = "the old figures (default: ${DEFAULT-VALUE})",
            defaultValue = "bench/figures/last.json")
    private Path kept = Path.of("bench/figures/last.json");
    @Option(names = "--tolerance", paramLabel = "PERCENT", description = "how far a median may move (default: ${DEFAULT-VALUE})",
            defaultValue = "5")
    private double tolerance = 5;
    @Parameters(arity = "0..1", paramLabel = "NEW", description = "the new figures (default: ${DEFAULT-VALUE})",
            defaultValue = "bench/target/peers/results.json")
    private Path fresh = Path.of("bench/target/peers/results.json");

    private final PrintStream out;

    GuardMain(PrintStream out) {
        this.out = out;
    }

    /** Ends with 0, or 1 where the new figures do not pass, or 2 where there is nothing to compare. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new GuardMain(System.out)).execute(arguments));
    }

    @Override
    public Integer call() {
        if (!(tolerance >= 0)) {
            out.println("--tolerance: " + tolerance + " (expected: 0 or more percent)");
            return 2;
        }
        try {
            Results before = Kept.read(kept);
            Results now = Kept.read(fresh);
            List<Guard.Line> lines = new Guard(tolerance / 100).compare(before, now);
            lines.stream().filter(line -> line.verdict() != Guard.Verdict.SAME).forEach(line -> out.println(line.text()));
            long same = lines.stream().filter(line -> line.verdict() == Guard.Verdict.SAME).count();
            now.failures().forEach(failure -> out.println("FAILED in the new run: " + failure));
            boolean passes = Guard.passes(lines) && now.failures().isEmpty();
            out.println(lines.size() + " ratios, " + same + " within noise and " + tolerance + " %: "
                    + (passes ? "passes" : "DOES NOT PASS"));
            return passes ? 0 : 1;
        } catch (IOException e) {
            out.println(e.getMessage() + " (expected: two files of bench/run)");
            return 2;
        }
    }
}
