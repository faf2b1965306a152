package io.penstock.bench.peers;

import io.penstock.bench.load.Account;
import io.penstock.bench.load.BackendStub;
import io.penstock.bench.load.Children.Child;
import io.penstock.bench.load.ClosedLoop;
import io.penstock.bench.load.LatencyReport;
import io.penstock.bench.load.LoadClient;
import io.penstock.bench.load.LoadRequest;
import io.penstock.bench.load.OpenLoop;
import io.penstock.bench.load.Protocol;
import io.penstock.bench.load.StreamLoad;
import io.penstock.bench.load.StreamReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Puts one scenario's load on one target and says what it cost; a wrong or missing answer is a {@link Failure}. One thread.
 */
final class Measuring {

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final Duration GRACE = Duration.ofSeconds(3);
    private static final double KIB_PER_MIB = 1024;

    private final Rig rig;
    private final Path h2load;
    private final Budget budget;
    /** Requests of a closed loop that use the budget, once a first short one has shown what they cost. */
    private final Map<String, Long> sized = new HashMap<>();
    private final AtomicLong runs = new AtomicLong();

    Measuring(Rig rig, Path h2load, Budget budget) {
        this.rig = rig;
        this.h2load = h2load;
        this.budget = budget;
    }

    Map<Metric, Double> measure(Running running, Scenario scenario) {
        return switch (scenario.load()) {
            case CLOSED -> closed(running, scenario);
            case RATE -> rate(running, scenario);
            case LATENCY -> latency(running);
            case FIRST_EVENT -> firstEvent(running, scenario);
            case PACED -> paced(running, scenario);
            case FLAT -> flat(running, scenario);
        };
    }

    private Map<Metric, Double> closed(Running running, Scenario scenario) {
        String key = running.target().name() + " " + scenario.label();
        Long known = sized.get(key);
        if (known == null) {
            known = size(running, scenario);
        }
        Map<Metric, Double> values = closed(running, scenario, known);
        // A better guess for the next round: the first one was short.
        sized.put(key, requests(values, budget, scenario.connections()));
        return values;
    }

    private long size(Running running, Scenario scenario) {
        long pilot = Math.min(10_000, Math.max(400, 25L * scenario.connections() * scenario.amount()));
        Map<Metric, Double> first = closed(running, scenario, pilot);
        return requests(first, budget, scenario.connections());
    }

    /** As many requests as use the CPU budget, but no more than its time allows, and the same number on each connection. */
    static long requests(Map<Metric, Double> pilot, Budget budget, int connections) {
        double perSecond = pilot.getOrDefault(Metric.PER_SECOND, 1.0);
        double cpu = pilot.getOrDefault(Metric.CPU, Double.NaN);
        // Without a target there is no account.
        double byTime = perSecond * (Double.isNaN(cpu) ? budget.cpuMillis() : budget.wall().toMillis()) / 1e3;
        // A pilot below one tick has cost nothing, as far as the kernel can tell.
        double byCpu = cpu > 0 ? budget.cpuMillis() * 1e3 / cpu : byTime;
        return Math.max(1, Math.round(Math.min(byTime, byCpu) / connections)) * connections;
    }

    private Map<Metric, Double> closed(Running running, Scenario scenario, long requests) {
        boolean accounts = !running.processes().isEmpty();
        Account before = running.account();
        Child child = rig.children().start(
                H2load.command(h2load, running.port(), scenario.connections(), scenario.amount(), requests, rig.body()),
                rig.cores().load(), Map.of(), rig.directory().resolve("h2load-" + runs.incrementAndGet() % 20 + ".log"));
        if (!child.waitFor(LIMIT)) {
            child.stop();
            throw new Failure("h2load: no end after " + LIMIT.toSeconds() + " s: " + child.tail(3));
        }
        Account after = running.account();
        H2load report = H2load.parse(child.output());
        if (!report.clean() || child.process().exitValue() != 0) {
            throw new Failure("h2load: " + report.ok() + " of " + report.requests() + " answered with 2xx, " + report.failed()
                    + " failed (expected: all and none)");
        }
        Map<Metric, Double> values = new LinkedHashMap<>();
        values.put(Metric.PER_SECOND, report.perSecond());
        values.put(Metric.MEAN, report.meanMicros());
        if (accounts) {
            values.put(Metric.CPU, (double) after.cpuMicrosSince(before) / requests);
            values.put(Metric.SWITCHES, (double) (after.switches() - before.switches()) / requests);
            values.put(Metric.RSS, after.residentKiB() / KIB_PER_MIB);
            values.put(Metric.PEAK, after.peakKiB() / KIB_PER_MIB);
        }
        return values;
    }

    private Map<Metric, Double> rate(Running running, Scenario scenario) {
        OwnTime ownBefore = ownTime(running);
        Account before = running.account();
        LatencyReport report;
        try (LoadClient client = LoadClient.open(Protocol.H2C, running.port(), scenario.connections())) {
            report = OpenLoop.run(client, completion(), scenario.amount(), budget.timed(), GRACE);
        }
        Account after = running.account();
        if (!report.failed().isEmpty()) {
            throw new Failure("open loop: " + report.faults() + " (expected: only 2xx)");
        }
        Map<Metric, Double> values = latencies(report);
        values.put(Metric.CPU, (double) after.cpuMicrosSince(before) / report.sent());
        values.put(Metric.LATE, report.lateness().getValueAtPercentile(99) / 1e3);
        values.put(Metric.UNANSWERED, (double) report.unanswered());
        double own = ownTime(running).microsSince(ownBefore, 0.5);
        if (!Double.isNaN(own)) {
            values.put(Metric.OWN, own);
        }
        return values;
    }

    private Map<Metric, Double> latency(Running running) {
        LatencyReport report;
        try (LoadClient client = LoadClient.open(Protocol.H2C, running.port(), 1)) {
            // The first ones open the connections to the backends.
            ClosedLoop.run(client, completion(), 1, budget.requests() / 10, LIMIT);
            report = ClosedLoop.run(client, completion(), 1, budget.requests(), LIMIT);
        }
        if (!report.clean()) {
            throw new Failure("closed loop: " + report.faults() + " (expected: only 2xx)");
        }
        return latencies(report);
    }

    private static Map<Metric, Double> latencies(LatencyReport report) {
        Map<Metric, Double> values = new LinkedHashMap<>();
        values.put(Metric.MEAN, report.meanMicros());
        values.put(Metric.P50, report.micros(50));
        values.put(Metric.P99, report.micros(99));
        values.put(Metric.P999, report.micros(99.9));
        return values;
    }

    private Map<Metric, Double> firstEvent(Running running, Scenario scenario) {
        StreamLoad.Plan plan = new StreamLoad.Plan(scenario.amount(), 2, 5, Duration.ZERO, budget.bursts());
        StreamReport report = stream(running, scenario, plan);
        return new LinkedHashMap<>(Map.of(Metric.P50, report.firstEventMicros(50), Metric.P99, report.firstEventMicros(99)));
    }

    private Map<Metric, Double> paced(Running running, Scenario scenario) {
        int events = (int) Math.max(1, budget.timed().toMillis() / 10);
        return events(running, scenario, new StreamLoad.Plan(scenario.amount(), events, 10, Duration.ofMillis(10), 1));
    }

    private Map<Metric, Double> flat(Running running, Scenario scenario) {
        return events(running, scenario, new StreamLoad.Plan(scenario.amount(), budget.events(), 0, Duration.ZERO, 1));
    }

    private Map<Metric, Double> events(Running running, Scenario scenario, StreamLoad.Plan plan) {
        Account before = running.account();
        StreamReport report = stream(running, scenario, plan);
        Account after = running.account();
        Map<Metric, Double> values = new LinkedHashMap<>();
        values.put(Metric.PER_SECOND, report.eventsPerSecond());
        if (!running.processes().isEmpty()) {
            values.put(Metric.CPU, (double) after.cpuMicrosSince(before) / report.events());
            values.put(Metric.RSS, after.residentKiB() / KIB_PER_MIB);
        }
        return values;
    }

    private static StreamReport stream(Running running, Scenario scenario, StreamLoad.Plan plan) {
        try (LoadClient client = LoadClient.open(Protocol.H2C, running.port(), scenario.connections())) {
            StreamReport report = StreamLoad.run(client, plan, LIMIT);
            if (!report.failed().isEmpty()) {
                throw new Failure("streams: " + report.failed() + " of " + report.streams() + " (expected: all whole)");
            }
            return report;
        }
    }

    private static LoadRequest completion() {
        return LoadRequest.post(BackendStub.completionPath(0), 500);
    }

    private static OwnTime ownTime(Running running) {
        return OwnTime.parse(running.admin() == 0 ? "" : Running.get(running.admin(), "/metrics"));
    }
}
