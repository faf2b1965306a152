package io.penstock.bench.headroom;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The same dispatchers with a fixed backlog while a client reads slowly, a model server dies and comes back, and the proxy is replaced by
 * another process. Nothing may be lost. One thread.
 */
final class Robustness {

    static final String KEY = "robustness";
    private static final long PATIENCE_SECONDS = 60;
    private static final long DEADLINE_MILLIS = 50_000;
    private static final int ITEMS = 1500;
    private static final int ITEMS_READ_SLOWLY = 400;
    private static final int SLOW_MILLIS = 4;
    private static final double RESERVE = 8;
    private static final List<String> OBJECTIVES = List.of(Documents.batch(16), Documents.INTERACTIVE);

    private final Bench bench;
    private final Path root;
    private final StringBuilder table = new StringBuilder("""
            | What happens | protocol | items | done | expired | attempts | refused | failed | not processed |
            |---|---|---|---|---|---|---|---|---|
            """);

    private Robustness(Bench bench, Path root) {
        this.bench = bench;
        this.root = root;
    }

    /** Runs all of it; the text is a table in Markdown. Throws when an item was lost or expired, or a planned restart broke a request. */
    static String run(Bench bench, Path root) throws Exception {
        Robustness robustness = new Robustness(bench, root);
        bench.pool().atDispatch(headers -> { });
        bench.pool().times().mean(50);
        bench.pool().times().pace(1);
        bench.pool().times().step(0);
        for (Protocol protocol : Protocol.values()) {
            robustness.slowClient(protocol);
            robustness.backendDeath(protocol);
            robustness.restart(protocol);
        }
        return robustness.table.toString();
    }

    private ProxyProcess start() throws IOException {
        return ProxyProcess.start(root, Documents.yaml(bench.pool().ports(), bench.pool().slotsEach(), Stages.BANDS));
    }

    private Trial.Plan plan(Protocol protocol, int items) {
        return new Trial.Plan(protocol, Law.CREDIT, 4, OBJECTIVES, items, DEADLINE_MILLIS);
    }

    private void slowClient(Protocol protocol) throws Exception {
        try (ProxyProcess proxy = start()) {
            WireSettings wires = WireSettings.to(proxy::address, bench.transport()).slow(SLOW_MILLIS);
            Trial trial = Trial.start(bench.dispatchLoop(), wires, plan(protocol, ITEMS_READ_SLOWLY), RESERVE);
            row("a client reads 64 bytes every " + SLOW_MILLIS + " ms", protocol, get(trial.settled()));
        }
    }

    private void backendDeath(Protocol protocol) throws Exception {
        try (ProxyProcess proxy = start()) {
            Trial trial = Trial.start(bench.dispatchLoop(), WireSettings.to(proxy::address, bench.transport()), plan(protocol, ITEMS),
                    RESERVE);
            get(trial.reached(ITEMS / 4));
            bench.pool().endpoint(1).kill();
            get(trial.reached(ITEMS / 2));
            bench.pool().endpoint(1).revive();
            row("one of four model servers dies and comes back", protocol, get(trial.settled()));
        }
    }

    private void restart(Protocol protocol) throws Exception {
        try (ProxyProcess before = start(); ProxyProcess after = start()) {
            AtomicReference<SocketAddress> target = new AtomicReference<>(before.address());
            Trial trial = Trial.start(bench.dispatchLoop(), WireSettings.to(target::get, bench.transport()), plan(protocol, ITEMS),
                    RESERVE);
            get(trial.reached(ITEMS / 3));
            target.set(after.address());
            before.terminate();
            Account.Totals totals = get(trial.settled());
            row("another process takes over, the old one drains", protocol, totals);
            if (before.exitCode() != 0) {
                throw new IllegalStateException("exit code: " + before.exitCode() + " (expected: 0 after a drain)");
            }
            if (protocol == Protocol.HTTP2 && totals.of(Outcome.FAILED) != 0) {
                throw new IllegalStateException("restart: " + totals.of(Outcome.FAILED) + " failed (expected: an answer or GOAWAY)");
            }
        }
    }

    private void row(String what, Protocol protocol, Account.Totals totals) {
        if (totals.expired() != 0) {
            throw new IllegalStateException(what + ": " + totals.expired() + " expired of " + totals.drawn() + " (expected: none)");
        }
        table.append("| ").append(what).append(" | ").append(protocol == Protocol.HTTP1 ? "HTTP/1.1" : "HTTP/2").append(" | ")
                .append(totals.drawn()).append(" | ").append(totals.done()).append(" | ").append(totals.expired()).append(" | ")
                .append(totals.attempts()).append(" | ").append(totals.of(Outcome.SATURATED)).append(" | ")
                .append(totals.of(Outcome.FAILED) + totals.of(Outcome.NO_ENDPOINTS) + totals.of(Outcome.SHUTTING_DOWN)).append(" | ")
                .append(totals.of(Outcome.UNPROCESSED)).append(" |\n");
    }

    private static <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException("trial: not at its end after " + PATIENCE_SECONDS + " s (expected: before its deadline)", e);
        }
    }
}
