package io.penstock.bench.peers;

import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * One run: starts every target, warms the JVMs one after the other, then measures in rounds. In each round every target has every
 * scenario once, in an order that moves on by one target a round, so that none is always first; all but the one that is measured are
 * stopped. One thread.
 */
final class Session {

    private final Rig rig;
    private final Measuring measuring;
    private final Function<Running, Warming.Result> warming;
    private final Results results;
    private final PrintStream progress;
    private final long begun = System.nanoTime();

    Session(Rig rig, Measuring measuring, Function<Running, Warming.Result> warming, Results results, PrintStream progress) {
        this.rig = rig;
        this.measuring = measuring;
        this.warming = warming;
        this.results = results;
        this.progress = progress;
    }

    void run(List<Target> targets, List<Scenario> scenarios) {
        List<Running> running = startAll(targets);
        running.removeIf(each -> each.target().jvm() && !warm(each));
        for (int round = 0; round < results.rounds(); round++) {
            for (Scenario scenario : scenarios) {
                List<Running> order = new ArrayList<>(running.stream().filter(each -> scenario.measures(each.target())).toList());
                if (!order.isEmpty()) {
                    Collections.rotate(order, -(round % order.size()));
                }
                for (Running each : order) {
                    if (rig.children().closed()) {
                        // Ctrl-C: what is measured now would be the end of the processes.
                        return;
                    }
                    measure(each, scenario, round);
                }
            }
        }
    }

    private List<Running> startAll(List<Target> targets) {
        List<Running> running = new ArrayList<>();
        for (Target target : targets) {
            try {
                Running each = rig.start(target);
                each.pause();
                say(String.format(Locale.ROOT, "%s started in %.0f ms", target.name(), each.startMillis()));
                if (target.jvm()) {
                    results.put(target.name(), Results.ALWAYS, 0, Map.of(Metric.START, each.startMillis()));
                }
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

    private boolean warm(Running each) {
        try {
            each.resume();
            Warming.Result result = warming.apply(each);
            String line = each.target().name() + " warm: " + result.text();
            say(line);
            if (!result.settled()) {
                results.notes().add(line);
            }
            return true;
        } catch (Failure | IllegalArgumentException | IllegalStateException | UncheckedIOException e) {
            failed(each.target().name() + ", warming: " + e.getMessage());
            return false;
        } finally {
            each.pause();
        }
    }

    private void measure(Running each, Scenario scenario, int round) {
        String what = "round " + (round + 1) + "/" + results.rounds() + " " + scenario.label() + " " + each.target().name();
        try {
            each.resume();
            Map<Metric, Double> measured = measuring.measure(each, scenario);
            results.put(each.target().name(), scenario.label(), round, measured);
            say(what + ": " + text(measured));
        } catch (Failure | IllegalArgumentException | IllegalStateException | UncheckedIOException e) {
            failed(what + ": " + e.getMessage());
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
