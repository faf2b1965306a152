package io.penstock.bench.peers;

import io.penstock.bench.load.Children.Child;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * One run: starts every target, warms the JVMs in turn, plays one whole round whose figures are thrown away, then measures in rounds. In
 * each round every target has every scenario in the order of {@link Order}; all but the one that is measured are stopped. One thread.
 */
final class Session {

    private static final String WARMING = "warming";

    private final Rig rig;
    private final Measuring measuring;
    private final Function<Running, Warming> warming;
    private final Results results;
    private final PrintStream progress;
    private final long begun = System.nanoTime();

    /** @param warming makes what warms a JVM that has just started */
    Session(Rig rig, Measuring measuring, Function<Running, Warming> warming, Results results, PrintStream progress) {
        this.rig = rig;
        this.measuring = measuring;
        this.warming = warming;
        this.results = results;
        this.progress = progress;
    }

    void run(List<Target> targets, List<Scenario> scenarios) {
        List<Running> running = startAll(targets);
        warm(running);
        for (int round = -1; round < results.rounds(); round++) {
            start(running, round);
            for (Scenario scenario : scenarios) {
                measure(running, scenario, round);
            }
        }
    }

    /** Starts another one of each Penstock that stands in all tables, while everybody is stopped, and ends it. */
    private void start(List<Running> running, int round) {
        for (Running each : running) {
            if (!each.target().jvm() || !each.target().everywhere() || round < 0 || rig.children().closed()) {
                continue;
            }
            String what = "round " + (round + 1) + "/" + results.rounds() + " start " + each.target().name();
            try {
                // Under a name of its own, and so with files of its own: the one that stands still watches its configuration.
                Running started = rig.start(each.target().named(each.target().name() + "-start"));
                started.processes().forEach(Child::stop);
                results.put(each.target().name(), Results.ALWAYS, round, Map.of(Metric.START, started.startMillis()));
                say(String.format(Locale.ROOT, "%s: %.0f ms", what, started.startMillis()));
            } catch (LeftOut | Failure e) {
                failed(what + ": " + e.getMessage());
            }
        }
    }

    /** Everybody once or, in a pair of A B B A, twice; round -1 is played like the first one and thrown away. */
    private void measure(List<Running> running, Scenario scenario, int round) {
        Map<Target, Running> measured = new LinkedHashMap<>();
        running.stream().filter(each -> scenario.measures(each.target())).forEach(each -> measured.put(each.target(), each));
        Map<Target, List<Map<Metric, Double>>> figures = new LinkedHashMap<>();
        for (Target target : Order.of(List.copyOf(measured.keySet()), Math.max(0, round))) {
            if (rig.children().closed()) {
                // Ctrl-C: what is measured now would be the end of the processes.
                return;
            }
            String name = round < 0 ? "thrown away" : "round " + (round + 1) + "/" + results.rounds();
            Map<Metric, Double> figure = figure(Objects.requireNonNull(measured.get(target)), scenario, name);
            if (!figure.isEmpty()) {
                figures.computeIfAbsent(target, none -> new ArrayList<>()).add(figure);
            }
        }
        if (round >= 0) {
            figures.forEach((target, all) -> results.put(target.name(), scenario.label(), round, Metric.means(all)));
        }
    }

    private List<Running> startAll(List<Target> targets) {
        List<Running> running = new ArrayList<>();
        for (Target target : targets) {
            try {
                Running each = rig.start(target);
                each.pause();
                say(String.format(Locale.ROOT, "%s started in %.0f ms", target.name(), each.startMillis()));
                running.add(each);
            } catch (LeftOut e) {
                results.notes().add(e.getMessage());
                say(e.getMessage());
            } catch (Failure e) {
                failed(e.getMessage());
            }
        }
        return running;
    }

    /** One pass for each JVM that is not warm yet, again and again, so that each has stood still between two of its own. */
    private void warm(List<Running> running) {
        Map<Running, Warming> cold = new LinkedHashMap<>();
        running.stream().filter(each -> each.target().jvm()).forEach(each -> cold.put(each, warming.apply(each)));
        while (!cold.isEmpty() && !rig.children().closed()) {
            for (Map.Entry<Running, Warming> each : List.copyOf(cold.entrySet())) {
                Running target = each.getKey();
                if (!resumed(target, WARMING, each.getValue()::pass)) {
                    cold.remove(target);
                    running.remove(target);
                } else if (each.getValue().done()) {
                    cold.remove(target);
                    warmed(target.target().name() + " warm: " + each.getValue().text(), each.getValue().settled());
                }
            }
        }
    }

    private void warmed(String line, boolean settled) {
        say(line);
        if (!settled) {
            results.notes().add(line);
        }
    }

    /** The figures of one measurement, or none where it failed. */
    private Map<Metric, Double> figure(Running each, Scenario scenario, String round) {
        Map<Metric, Double> figure = new EnumMap<>(Metric.class);
        String what = round + " " + scenario.label();
        if (resumed(each, what, () -> figure.putAll(measuring.measure(each, scenario)))) {
            say(what + " " + each.target().name() + ": " + text(figure));
        }
        return figure;
    }

    /** Whether this could be done while the target was running. */
    private boolean resumed(Running each, String what, Runnable load) {
        try {
            each.resume();
            load.run();
            return true;
        } catch (Failure | IllegalArgumentException | IllegalStateException | UncheckedIOException e) {
            failed(what + " " + each.target().name() + ": " + e.getMessage());
            return false;
        } finally {
            each.pause();
        }
    }

    private static String text(Map<Metric, Double> measured) {
        Map<String, String> shown = new LinkedHashMap<>();
        measured.forEach((metric, value) -> shown.put(metric.key(), String.format(Locale.ROOT, "%.4g", value)));
        return shown.toString().replaceAll("[{}]", "");
    }

    private void failed(String why) {
        results.failures().add(why);
        say("FAILED: " + why);
    }

    private void say(String line) {
        long seconds = (System.nanoTime() - begun) / 1_000_000_000L;
        progress.printf(Locale.ROOT, "[%2d:%02d] %s%n", seconds / 60, seconds % 60, line);
    }
}
