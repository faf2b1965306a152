package io.penstock.proxy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.penstock.flow.BandView;
import io.penstock.proxy.admin.EndpointRow;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class DemoTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private static DemoOptions options(String... args) {
        DemoOptions options = new DemoOptions();
        CommandLine.populateCommand(options, args);
        return options;
    }

    private Demo demo(String... args) {
        return new Demo(options(args), new PrintWriter(out), new PrintWriter(err), false);
    }

    /** A proxy that is a model server itself. */
    private static final class Target implements DemoTarget, DemoTarget.Running {
        private final List<String> started = new ArrayList<>();
        private SimServer server;
        private boolean closed;

        @Override
        public Running start(String yaml) {
            started.add(yaml);
            server = SimServer.start(SimOptions.of(Demo.MODEL), "127.0.0.1", 0);
            return this;
        }

        @Override
        public boolean ended() {
            return false;
        }

        @Override
        public int port() {
            return server.port();
        }

        @Override
        public int adminPort() {
            return 1001;
        }

        @Override
        public int metricsPort() {
            return 1002;
        }

        @Override
        public List<BandView> bands() {
            return List.of(band(10, 3, 7, 1), band(-5, 30, 0, 2));
        }

        @Override
        public List<EndpointRow> endpoints() {
            return List.of(new EndpointRow("default/sim-0", "127.0.0.1:9", Map.of(), null, 4, 40, 10L, 0, 4, 0.25, "healthy"));
        }

        @Override
        public void close() {
            server.close();
            closed = true;
        }
    }

    private static BandView band(int priority, long waiting, long dispatched, long rejected) {
        return new BandView(priority, 30, waiting, -1, 0, dispatched, rejected, 0, 1, List.of());
    }

    @Test
    void itStartsTheProxyPrintsWhereToLookAndShowsTheBands() throws Exception {
        Target target = new Target();
        Demo demo = demo("--rate", "40", "--port", "0", "--admin-port", "0", "--metrics-port", "0");
        CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(() -> demo.run(target), task -> new Thread(task).start());
        await().until(() -> out.toString().contains("answers=200:"));
        demo.stop();
        assertThat(exit.get(10, TimeUnit.SECONDS)).isZero();

        assertThat(out.toString()).contains("curl -i http://127.0.0.1:" + target.server.port() + "/v1/chat/completions",
                "http://127.0.0.1:1001/bands", "http://127.0.0.1:1002/metrics", "curl -i -N --http2-prior-knowledge", "\"stream\":true}'");
        assertThat(out.toString().lines().reduce("", (before, line) -> line)).matches("\\d+s  premium queued=3/30 headroom=27 "
                + "dispatched/s=0.0 rejected/s=0.0  batch queued=30/30 headroom=0 .*  default/sim-0 in-flight=4  answers=200:\\d+");
        assertThat(target.started.get(0)).contains("kind: InferenceObjective", "address: \"127.0.0.1:0\"", "name: sim-1");
        assertThat(target.closed).isTrue();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void itEndsByItselfAndWithoutARateNothingIsSent() {
        assertThat(demo("--for", "10ms", "--rate", "0").run(new Target())).isZero();
        assertThat(out.toString()).endsWith("answers=-" + System.lineSeparator());
    }

    @Test
    void aTakenPortIsSaidAndGivesOne() {
        DemoTarget taken = yaml -> {
            throw new IllegalStateException("address: 127.0.0.1:8080 (expected: one that can be bound; Address already in use)");
        };
        assertThat(demo().run(taken)).isOne();
        assertThat(err.toString()).startsWith("demo: address: 127.0.0.1:8080").contains("already in use");
    }

    @Test
    void aWrongOptionIsNamed() {
        assertThatThrownBy(() -> options("--backends", "0").check()).hasMessage("--backends: 0 (expected: 1..64)");
        assertThatThrownBy(() -> options("--rate", "-1").check()).hasMessage("--rate: -1.0 (expected: 0..10000)");
        assertThatThrownBy(() -> options("--for", "soon")).isInstanceOf(CommandLine.ParameterException.class);
    }

    @Test
    void aTerminalSeesOneTableDrawnAnewInPlace() {
        DemoTable table = new DemoTable(new PrintWriter(out), true);
        List<EndpointRow> endpoints = List.of(new EndpointRow("default/sim-0", "127.0.0.1:9", Map.of(), null, 4, 40, null, null, null, null,
                "ejected"));
        SortedMap<Integer, Integer> statuses = new TreeMap<>(Map.of(200, 5, 0, 1));
        table.show(1, List.of(band(10, 3, 7, 1)), endpoints, statuses);
        int rows = (int) out.toString().lines().count();
        table.show(3, List.of(band(10, 2, 27, 2)), endpoints, statuses);

        assertThat(out.toString()).contains("\033[" + rows + "A\033[J");
        assertThat(out.toString().split("\033")[2].replaceAll(" +", " ")).contains("premium 10 2 30 28 10.0 0.5",
                "sim-0 127.0.0.1:9 4 - - - ejected",
                "3 s, answers none:1,200:5");
    }
}
