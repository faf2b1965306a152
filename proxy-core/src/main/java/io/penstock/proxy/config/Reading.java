package io.penstock.proxy.config;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What one load collects while it reads on: every problem, and every key that a reader asked for. One thread. */
final class Reading {

    private record Found(Location at, Problem problem) {
    }

    private static final Pattern ANY_INDEX = Pattern.compile("\\[[0-9]+]");
    private static final Comparator<Found> BY_PLACE = Comparator.<Found>comparingInt(f -> f.at().source())
            .thenComparingInt(f -> f.at().line()).thenComparingInt(f -> f.at().column());

    private final Set<Found> found = new LinkedHashSet<>();
    private final Set<String> asked = new TreeSet<>();
    private final LoadOptions options;
    private boolean failed;
    private String kind = "";

    Reading(LoadOptions options) {
        this.options = options;
    }

    LoadOptions options() {
        return options;
    }

    void error(Location at, String message) {
        failed = true;
        add(Problem.Severity.ERROR, at, message);
    }

    void warning(Location at, String message) {
        add(Problem.Severity.WARNING, at, message);
    }

    void notice(Location at, String message) {
        add(Problem.Severity.NOTICE, at, message);
    }

    boolean failed() {
        return failed;
    }

    /** By source, line and column. */
    List<Problem> problems() {
        return found.stream().sorted(BY_PLACE).map(Found::problem).toList();
    }

    /** From here on a document of that kind is read. */
    void enter(String documentKind) {
        kind = documentKind;
    }

    void ask(String path) {
        if (kind.isEmpty()) {
            return; // still finding out what document this is
        }
        asked.add(kind + '.' + ANY_INDEX.matcher(path).replaceAll("[]"));
    }

    /** Every key asked for so far, such as {@code ProxyConfig.listeners[].address}; the page docs/configuration.md is held to it. */
    Set<String> asked() {
        return asked;
    }

    private void add(Problem.Severity severity, Location at, String message) {
        // A message is one line, whatever names it quotes.
        String line = Text.shown(message, Integer.MAX_VALUE);
        found.add(new Found(at, new Problem(severity, at.file(), at.line(), at.column(), line)));
    }
}
