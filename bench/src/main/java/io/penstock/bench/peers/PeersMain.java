package io.penstock.bench.peers;

import io.penstock.bench.load.BackendStub;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command behind {@code bench/run}: Penstock beside its peers, in interleaved rounds. One thread. */
@Command(name = "bench/run", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Measures Penstock beside the proxies that are installed, in interleaved rounds, and prints tables.",
    "The short set takes less than 15 minutes; the machine should have nothing else to do."})
public final class PeersMain implements Callable<Integer> {

    private static final int USAGE = 2;
    /** After the commit; the path of the program, which is printed first, may hold a version too. */
    private static final Pattern ENVOY_VERSION = Pattern.compile("version: \\w+/(\\d+\\.\\d+\\.\\d+)");
    private static final Path OUT = Path.of("bench/target/peers");

    @Option(names = "--all", description = "every scenario, every mode and variant on every JDK")
    private boolean all;
    @Option(names = "--only", split = ",", paramLabel = "NAME", description = "these targets and scenarios; * stands for anything")
    private List<String> only = new ArrayList<>();
    @Option(names = "--rounds", paramLabel = "N", description = "rounds that count (default: 5)")
    private @Nullable Integer rounds;
    @Option(names = "--list", description = "print the targets and scenarios of the set, and end")
    private boolean list;
    @Option(names = "--brief", description = "everything for a moment, to see that it runs; the figures mean nothing")
    private boolean brief;
    @Option(names = "--proxy-core", paramLabel = "N", description = "the core of the target that is measured (default: 0)")
    private int proxyCore;
    @Option(names = "--load-core", paramLabel = "N", description = "the core of load and backend (default: 1)")
    private int loadCore = 1;
    @Option(names = "--epp", paramLabel = "COMMAND", description = "llm-d's endpoint picker with its arguments; {picker} is its port")
    private @Nullable String epp;
    @Option(names = "--epp-envoy", paramLabel = "FILE",
            description = "the configuration of its Envoy; {port}, {picker}, {backend0}, {backend1} are filled in")
    private @Nullable Path eppEnvoy;
    @Option(names = "--keep", description = "write the figures to bench/figures/last.json and docs/benchmarks.md")
    private boolean keep;

    /** Read before this process binds itself to one of them: then there is one. */
    private final int processors = Runtime.getRuntime().availableProcessors();
    private final PrintStream out;
    private final PrintStream progress;
    private final Tools tools;
    private final PenstockLaunch launch;

    PeersMain(PrintStream out, PrintStream progress, Tools tools, PenstockLaunch launch) {
        this.out = out;
        this.progress = progress;
        this.tools = tools;
        this.launch = launch;
    }

    /** Runs and ends with 0, or 1 where a measurement failed, or 2 for a wrong command line. */
    public static void main(String[] arguments) {
        PenstockLaunch script = PenstockLaunch.byScript(Path.of("").toAbsolutePath());
        PeersMain main = new PeersMain(System.out, System.err, Tools.ofThisMachine(), script);
        System.exit(new CommandLine(main).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        Choice choice = Choice.of(Target.all(tools.jdks(), epp != null, all), Scenario.of(all), only);
        if (list) {
            choice.targets().forEach(target -> out.println(target.name()));
            out.println();
            choice.scenarios().forEach(scenario -> out.printf("%-14s %s%n", scenario.label(), scenario.title()));
            return 0;
        }
        List<String> problems = problems(choice);
        if (!problems.isEmpty()) {
            problems.forEach(progress::println);
            return USAGE;
        }
        Cores cores = processors > 1 ? new Cores(proxyCore, loadCore) : new Cores(-1, -1);
        cores.bindThisProcess();
        Results results = new Results(rounds());
        head(results, cores, choice);
        run(results, cores, choice);
        return finish(results);
    }

    private void run(Results results, Cores cores, Choice choice) {
        Budget budget = brief ? Budget.BRIEF : Budget.FULL;
        try (Rig rig = new Rig(OUT, cores, tools, launch, pair())) {
            Measuring measuring = new Measuring(rig, tools.onPath("h2load").orElseThrow(), budget);
            Measuring slices = new Measuring(rig, tools.onPath("h2load").orElseThrow(), budget.slice());
            new Session(rig, measuring, each -> Warming.of(each, slices, choice.scenarios(), budget), results, progress)
                    .run(choice.targets(), choice.scenarios());
        }
    }

    private int finish(Results results) throws IOException {
        String report = Report.of(results);
        out.println();
        out.print(report);
        Kept.write(OUT.resolve("results.json"), ResultsJson.write(results));
        Kept.write(OUT.resolve("report.md"), report);
        progress.println("written: " + OUT.resolve("results.json") + ", " + OUT.resolve("report.md"));
        if (!results.failures().isEmpty()) {
            progress.println("FAILED: " + results.failures().size() + " measurements; the first: " + results.failures().get(0));
            return 1;
        }
        if (keep) {
            keep(results, report);
        }
        return 0;
    }

    private void keep(Results results, String report) throws IOException {
        Path page = Path.of("docs/benchmarks.md");
        Files.writeString(page, Kept.page(Files.readString(page), report));
        Path figures = Path.of("bench/figures/last.json");
        Kept.write(figures, ResultsJson.write(results));
        progress.println("kept: " + figures + ", " + page);
    }

    private int rounds() {
        if (rounds != null) {
            return rounds;
        }
        return brief ? 1 : 5;
    }

    private @Nullable PairOptions pair() {
        return epp == null || eppEnvoy == null ? null : new PairOptions(List.of(epp.trim().split("\\s+")), eppEnvoy);
    }

    /** Everything that is wrong, so that it is put right in one go. */
    private List<String> problems(Choice choice) {
        List<String> problems = new ArrayList<>(choice.problems());
        if (rounds() < 1) {
            problems.add("--rounds: " + rounds + " (expected: 1 or more)");
        }
        if (processors > 1 && proxyCore == loadCore) {
            problems.add("--proxy-core and --load-core: both " + proxyCore + " (expected: two different cores)");
        }
        for (int core : new int[] {proxyCore, loadCore}) {
            if (core < 0 || processors > 1 && core >= processors) {
                problems.add("core " + core + ": not there (expected: 0 to " + (processors - 1) + ")");
            }
        }
        if ((epp == null) != (eppEnvoy == null)) {
            problems.add("--epp and --epp-envoy: only one of them (expected: both or none)");
        }
        if (epp != null) {
            String program = epp.trim().split("\\s+")[0];
            if (program.isEmpty() || !Files.isExecutable(Path.of(program)) && tools.onPath(program).isEmpty()) {
                problems.add("--epp: " + program + ": no program (expected: one that can be run, then its arguments)");
            }
        }
        if (eppEnvoy != null && !Files.isReadable(eppEnvoy)) {
            problems.add("--epp-envoy: " + eppEnvoy + ": not readable (expected: Envoy's configuration)");
        }
        if (keep && (brief || !only.isEmpty())) {
            problems.add("--keep: with --brief or --only (expected: a whole set)");
        }
        Map.of("h2load", "apt-get install nghttp2-client", "taskset", "apt-get install util-linux").forEach((program, help) -> {
            if (tools.onPath(program).isEmpty()) {
                problems.add(program + ": not on the PATH (expected: installed; " + help + ")");
            }
        });
        if (tools.jdks().isEmpty()) {
            problems.add("java: no JDK 17 or later as JAVA_HOME, under " + tools.runtimes() + " or on the PATH (expected: at least one)");
        }
        return problems;
    }

    private void head(Results results, Cores cores, Choice choice) {
        Map<String, String> head = results.head();
        head.put("date", LocalDate.now().toString());
        head.put("set", (all ? "all" : "short") + (only.isEmpty() ? "" : ", only " + String.join(" ", only)) + ", " + results.rounds()
                + " rounds after one that is thrown away" + (brief ? ", BRIEF: the figures mean nothing" : ""));
        head.put("machine", processors + " cores, Linux " + System.getProperty("os.version")
                + (cores.proxy() < 0 ? ", NOT PINNED: one core only" : ", proxy on core " + cores.proxy() + ", load and backend on core "
                + cores.load()));
        tools.jdks().forEach(jdk -> head.put("penstock-" + jdk.feature(), "JDK " + jdk.version()));
        versions(head, choice);
        head.put("backend", "two endpoints, answers of one fixed size, events of " + BackendStub.eventBytes() + " bytes");
        head.put("load", "h2load " + Tools.version(List.of("h2load", "--version"), Pattern.compile("nghttp2/(\\S+)")));
    }

    private void versions(Map<String, String> head, Choice choice) {
        for (Kind kind : choice.targets().stream().map(Target::kind).distinct().toList()) {
            switch (kind) {
                case HAPROXY -> tools.onPath("haproxy").ifPresent(binary -> head.put(kind.label(),
                        Tools.version(List.of(binary.toString(), "-v"), Pattern.compile("version (\\S+)"))));
                case NGINX -> tools.onPath("nginx").ifPresent(binary -> head.put(kind.label(),
                        Tools.version(List.of(binary.toString(), "-v"), Pattern.compile("nginx/(\\S+)"))));
                case ENVOY -> tools.envoy().ifPresent(binary -> head.put(kind.label(),
                        Tools.version(List.of(binary.toString(), "--version"), ENVOY_VERSION)));
                default -> {
                    // Penstock is this tree, the pair is the user's.
                }
            }
        }
    }
}
