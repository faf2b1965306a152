package io.penstock.proxy.demo;

import io.netty.channel.EventLoopGroup;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.HeaderNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code demo}: simulated model servers, the proxy before them, a light load and a live table (contract section 1). Runs on
 * the main thread until its time is over or the process is told to stop.
 */
public final class Demo {

    /** The model that the simulated servers serve. */
    static final String MODEL = "demo-model";

    private static final int SLOTS = 4;
    private static final Duration FIRST_TOKEN = Duration.ofMillis(80);
    private static final Duration NEXT_TOKEN = Duration.ofMillis(20);
    /** What the servers take for a request of the standard band, which is close to the mean of all. */
    private static final double SECONDS_A_REQUEST = (FIRST_TOKEN.toMillis()
            + (DemoBand.STANDARD.tokens() - 1) * NEXT_TOKEN.toMillis()) / 1e3;

    private final DemoOptions options;
    private final PrintWriter out;
    private final PrintWriter err;
    private final DemoTable table;
    private final CountDownLatch stop = new CountDownLatch(1);

    Demo(DemoOptions options, PrintWriter out, PrintWriter err, boolean terminal) {
        this.options = options;
        this.out = out;
        this.err = err;
        this.table = new DemoTable(out, terminal);
    }

    /**
     * Runs the demo on standard output.
     *
     * @return the exit status: 0, or 1 when a port is taken or the proxy cannot start for another reason
     * @throws IllegalArgumentException when an option is wrong
     */
    public static int run(DemoOptions options, DemoTarget target) {
        Demo demo = new Demo(options, new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8), DemoTable.onTerminal());
        CountDownLatch cleanedUp = new CountDownLatch(1);
        StopSignal.onExit(demo.stop, cleanedUp);
        try {
            return demo.run(target);
        } finally {
            cleanedUp.countDown();
        }
    }

    int run(DemoTarget target) {
        options.check();
        Transport transport = Transport.detect(false);
        EventLoopGroup loops = transport.newGroup(Math.min(2, options.backends()), "sim");
        List<SimServer> servers = new ArrayList<>();
        try {
            SimLatency latency = new SimLatency(FIRST_TOKEN, FIRST_TOKEN.dividedBy(5), NEXT_TOKEN, NEXT_TOKEN.dividedBy(5), Duration.ZERO,
                    Duration.ZERO, Duration.ZERO, 1.0);
            SimOptions sim = SimOptions.of(MODEL).withSlots(SLOTS, 1000).withLatency(latency)
                    .withCache(new SimOptions.Cache(true, 64, 16));
            for (int i = 0; i < options.backends(); i++) {
                servers.add(SimServer.start(sim.withPod(new SimOptions.Pod("sim-" + i, ""), false), "127.0.0.1", 0, loops, transport));
            }
            try (DemoTarget.Running proxy = target.start(configuration(servers))) {
                introduce(proxy, servers);
                watch(proxy);
            }
            return 0;
        } catch (IllegalStateException cannotStart) {
            err.println("demo: " + cannotStart.getMessage());
            return 1;
        } finally {
            servers.forEach(SimServer::close);
            loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** Ends the demo as a signal does; any thread. */
    void stop() {
        stop.countDown();
    }

    private String configuration(List<SimServer> servers) {
        StringBuilder yaml = new StringBuilder();
        try (InputStream in = Demo.class.getResourceAsStream("demo.yaml")) {
            if (in == null) {
                throw new IllegalStateException("demo.yaml: missing (expected: beside the classes of the demo)");
            }
            yaml.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        yaml.append("---\napiVersion: penstock.io/v1alpha1\nkind: ProxyConfig\nlisteners:\n- {name: plain, address: \"")
                .append(address(options.host(), options.port())).append("\"}\nadmin: {address: \"127.0.0.1:").append(options.adminPort())
                .append("\"}\nmetrics: {address: \"").append(address(options.host(), options.metricsPort()))
                .append("\"}\naccessLog: {path: \"off\"}\nendpoints:\n");
        for (SimServer server : servers) {
            yaml.append("- {name: ").append(server.options().pod().name()).append(", address: \"127.0.0.1:").append(server.port())
                    .append("\"}\n");
        }
        return yaml.toString();
    }

    private void introduce(DemoTarget.Running proxy, List<SimServer> servers) {
        String host = localHost();
        String chat = "http://" + address(host, proxy.port()) + "/v1/chat/completions";
        String body = "'{\"model\":\"" + MODEL + "\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]";
        String common = " -H 'content-type: application/json' -H '" + HeaderNames.OBJECTIVE + ": standard' -d " + body;
        out.println("proxy    " + chat);
        out.println("admin    http://127.0.0.1:" + proxy.adminPort() + "/bands");
        out.println("metrics  http://" + address(host, proxy.metricsPort()) + "/metrics");
        servers.forEach(server -> out.println("server   http://127.0.0.1:" + server.port() + "  (" + server.options().pod().name() + ", "
                + SLOTS + " slots)"));
        out.println();
        out.println("Try:     curl -i " + chat + common + "}'");
        out.println("Stream:  curl -i -N --http2-prior-knowledge " + chat + common + ",\"stream\":true}'");
        out.println();
        out.flush();
    }

    private void watch(DemoTarget.Running proxy) {
        Double rate = options.rate();
        DemoWave wave = rate == null ? new DemoWave(options.backends() * SLOTS / SECONDS_A_REQUEST) : DemoWave.withMean(rate);
        long start = System.nanoTime();
        Duration length = options.length();
        long nanos = length == null ? Long.MAX_VALUE : length.toNanos();
        @Nullable DemoLoad load = rate != null && rate == 0 ? null : new DemoLoad(address(localHost(), proxy.port()), wave);
        try {
            for (long second = 1;; second++) {
                long next = Math.min(nanos, TimeUnit.SECONDS.toNanos(second));
                boolean stopped = stop.await(start + next - System.nanoTime(), TimeUnit.NANOSECONDS);
                table.show((System.nanoTime() - start) / 1e9, proxy.bands(), proxy.endpoints(),
                        load == null ? new TreeMap<>() : load.statuses());
                if (stopped || next == nanos || proxy.ended()) {
                    return;
                }
            }
        } catch (InterruptedException stopNow) {
            Thread.currentThread().interrupt();
        } finally {
            if (load != null) {
                load.close();
            }
        }
    }

    /** What a client on this machine dials. */
    private String localHost() {
        return options.host().equals("0.0.0.0") ? "127.0.0.1" : options.host();
    }

    private static String address(String host, int port) {
        return (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + port;
    }
}
