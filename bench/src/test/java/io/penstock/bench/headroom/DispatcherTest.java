package io.penstock.bench.headroom;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.LeakPresenceDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.Proxy;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Dispatchers before a running product and simulated model servers: whatever happens, each item of the backlog ends in exactly one way. */
class DispatcherTest {

    private static final int ITEMS = 240;
    private static final long FAR_MILLIS = 60_000;

    private final Bench bench = new Bench(5);

    @AfterEach
    void close() {
        bench.close();
    }

    @AfterAll
    static void nothingLeaks() {
        if (ResourceLeakDetectorFactory.instance().newResourceLeakDetector(Object.class) instanceof LeakPresenceDetector) {
            LeakPresenceDetector.check();
        }
    }

    private Proxy proxy() throws IOException {
        return Stages.startInside(Documents.yaml(bench.pool().ports(), bench.pool().slotsEach(), 16), FlowHooks.NONE);
    }

    private static Trial.Plan plan(Protocol protocol, Law law, int items, long deadlineMillis) {
        return new Trial.Plan(protocol, law, 2, List.of(Documents.batch(16), Documents.INTERACTIVE), items, deadlineMillis);
    }

    private Trial start(Trial.Plan plan, AtomicReference<Proxy> target, int slowMillis) {
        WireSettings wires = WireSettings.to(() -> address(target.get()), bench.transport());
        return Trial.start(bench.dispatchLoop(), slowMillis == 0 ? wires : wires.slow(slowMillis), plan, 8);
    }

    private static SocketAddress address(Proxy proxy) {
        return proxy.address("plain");
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(Law.class)
    void everyLawBringsTheWholeBacklogToItsEnd(Law law) throws Exception {
        try (Proxy proxy = proxy()) {
            Account.Totals totals = get(start(plan(Protocol.HTTP2, law, ITEMS, FAR_MILLIS), new AtomicReference<>(proxy), 0).settled());
            assertThat(totals.done()).isEqualTo(ITEMS);
            assertThat(totals.of(Outcome.FAILED)).isZero();
            if (law == Law.BLIND) {
                assertThat(totals.of(Outcome.SATURATED)).as("128 workers each, and a band of 16").isPositive();
            }
            assertThat(bench.pool().meter().beyondLimit()).as("never more than the slots").isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void aClientThatReadsSlowlyLosesNothing(Protocol protocol) throws Exception {
        try (Proxy proxy = proxy()) {
            Account.Totals totals = get(start(plan(protocol, Law.CREDIT, 80, FAR_MILLIS), new AtomicReference<>(proxy), 1).settled());
            assertThat(totals.done()).isEqualTo(80);
            assertThat(totals.attempts()).isEqualTo(80 + totals.of(Outcome.SATURATED));
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void aModelServerThatDiesCostsAttemptsAndNoItem(Protocol protocol) throws Exception {
        bench.pool().times().mean(20);
        try (Proxy proxy = proxy()) {
            Trial trial = start(plan(protocol, Law.AIMD, 2 * ITEMS, FAR_MILLIS), new AtomicReference<>(proxy), 0);
            get(trial.reached(ITEMS / 4));
            bench.pool().endpoint(0).kill();
            get(trial.reached(ITEMS / 2));
            bench.pool().endpoint(0).revive();
            Account.Totals totals = get(trial.settled());
            assertThat(totals.done()).isEqualTo(2 * ITEMS);
            assertThat(totals.attempts()).isGreaterThanOrEqualTo(2 * ITEMS);
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void aRollingRestartLosesNothing(Protocol protocol) throws Exception {
        bench.pool().times().mean(20);
        try (Proxy before = proxy(); Proxy after = proxy()) {
            AtomicReference<Proxy> target = new AtomicReference<>(before);
            Trial trial = start(plan(protocol, Law.CREDIT, 2 * ITEMS, FAR_MILLIS), target, 0);
            get(trial.reached(ITEMS / 2));
            target.set(after);
            before.drain();
            Account.Totals totals = get(trial.settled());
            before.awaitDrained();
            assertThat(totals.done()).isEqualTo(2 * ITEMS);
            if (protocol == Protocol.HTTP2) {
                assertThat(totals.of(Outcome.FAILED)).as("an answer or GOAWAY, never a broken stream").isZero();
            }
        }
    }

    /** No graceful end: the process is gone, and with it what it was working on. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void aProxyThatVanishesCostsAttemptsAndNoItem(Protocol protocol) throws Exception {
        bench.pool().times().mean(20);
        try (Proxy before = proxy()) {
            AtomicReference<Proxy> target = new AtomicReference<>(before);
            Trial trial = start(plan(protocol, Law.CREDIT, 2 * ITEMS, FAR_MILLIS), target, 0);
            get(trial.reached(ITEMS / 2));
            vanish(before);
            try (Proxy after = proxy()) {
                target.set(after);
                assertThat(get(trial.settled()).done()).isEqualTo(2 * ITEMS);
            }
        }
    }

    private static void vanish(Proxy proxy) {
        proxy.close();
    }

    @Test
    void whatIsStillWorkedOnAtItsDeadlineIsGivenUp() throws Exception {
        bench.pool().times().mean(TimeUnit.HOURS.toMillis(1));
        try (Proxy proxy = proxy()) {
            Account.Totals totals = get(start(plan(Protocol.HTTP2, Law.BLIND, 500, 400), new AtomicReference<>(proxy), 0).settled());
            assertThat(totals.expired()).isEqualTo(500);
            assertThat(totals.cancelled()).as("the slots at least").isPositive();
        }
    }

    /** Answers and deadlines meet here at any moment, so the two sums may differ from run to run, but not what they come to. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void aDeadlineInTheMiddleOfTheWorkLeavesNothingInBothSums(Protocol protocol) throws Exception {
        try (Proxy proxy = proxy()) {
            Account.Totals totals = get(start(plan(protocol, Law.BLIND, 3000, 500), new AtomicReference<>(proxy), 0).settled());
            assertThat(totals.done() + totals.expired()).isEqualTo(3000);
        }
    }
}
