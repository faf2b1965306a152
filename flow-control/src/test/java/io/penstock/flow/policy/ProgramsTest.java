package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.flow.FlowKey;
import io.penstock.flow.policy.ProgramsView.ProgramView;
import io.penstock.flow.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What is remembered of programs, and for how long. */
class ProgramsTest {

    private static final Duration TTL = Duration.ofSeconds(3600);

    private final ManualClock clock = new ManualClock();

    private Programs programs(Map<String, Object> parameters) {
        return new Programs(ProgramAwareConfig.from(parameters), clock);
    }

    private static void finish(Programs programs, String id) {
        programs.finished(new FlowKey(id, 0), 1, 1);
    }

    private static List<String> ids(Programs programs) {
        return programs.view("x").programs().stream().map(ProgramView::program).sorted().toList();
    }

    @Test
    void aProgramWithoutARequestForTheWholeTimeIsForgottenWithItsSeries() {
        Programs programs = programs(Map.of());
        finish(programs, "old");
        clock.advance(TTL.minusSeconds(400));
        finish(programs, "young");
        clock.advance(Duration.ofSeconds(399));
        assertThat(ids(programs)).containsExactly("old", "young");
        clock.advance(Duration.ofSeconds(301));
        assertThat(ids(programs)).containsExactly("young");
    }

    @Test
    void looksForUnusedProgramsAreSoFarApart() {
        Programs programs = programs(Map.of("evictionTtlSeconds", 1, "evictionSweepSeconds", 100));
        finish(programs, "a");
        clock.advance(Duration.ofSeconds(99));
        assertThat(ids(programs)).containsExactly("a");
        clock.advance(Duration.ofSeconds(1));
        assertThat(ids(programs)).isEmpty();
    }

    @Test
    void withoutATimeNothingIsForgotten() {
        Programs programs = programs(Map.of("evictionTtlSeconds", 0));
        finish(programs, "a");
        clock.advance(Duration.ofDays(1000));
        assertThat(ids(programs)).containsExactly("a");
    }

    @Test
    void aProgramThatWaitsOrRunsIsNotForgotten() {
        Programs programs = programs(Map.of());
        ProgramAwareFairnessPolicy policy = new ProgramAwareFairnessPolicy(programs);
        TestFlow waiting = new TestFlow("waiting").add(clock.getAsLong());
        TestFlow running = new TestFlow("running").add(clock.getAsLong());
        policy.activated(waiting);
        policy.activated(running);
        policy.served(running, 1);
        policy.deactivated(running);
        clock.advance(TTL.multipliedBy(2));
        assertThat(ids(programs)).containsExactly("running", "waiting");
        policy.deactivated(waiting);
        clock.advance(TTL);
        assertThat(ids(programs)).as("given up while it waited").containsExactly("running");
    }

    /** llm-d keeps such a program for ever: no final usage ever comes. Here every dispatched request ends once. */
    @Test
    void aRequestThatEndsWithoutTokensLetsItsProgramBeForgotten() {
        Programs programs = programs(Map.of());
        ProgramAwareFairnessPolicy policy = new ProgramAwareFairnessPolicy(programs);
        TestFlow flow = new TestFlow("abandoned").add(clock.getAsLong());
        policy.activated(flow);
        policy.served(flow, 1);
        policy.deactivated(flow);
        programs.finished(new FlowKey("abandoned", 3), 0, 0);
        clock.advance(TTL);
        assertThat(ids(programs)).isEmpty();
    }

    @Test
    void aRequestOfAnotherPolicyCountsAsServiceAndHoldsNothing() {
        Programs programs = programs(Map.of());
        ProgramAwareFairnessPolicy policy = new ProgramAwareFairnessPolicy(programs);
        finish(programs, "p");
        finish(programs, "p");
        TestFlow flow = new TestFlow("p").add(clock.getAsLong());
        policy.activated(flow);
        policy.served(flow, 1);
        policy.deactivated(flow);
        assertThat(programs.view("x").programs().get(0).attainedService()).isCloseTo(6, within(1e-9));
        clock.advance(TTL.multipliedBy(2));
        assertThat(ids(programs)).as("one runs").containsExactly("p");
        finish(programs, "p");
        clock.advance(TTL);
        assertThat(ids(programs)).isEmpty();
    }

    @Test
    void aForgottenProgramStartsAnew() {
        Programs programs = programs(Map.of("lasHalfLifeSeconds", 0));
        finish(programs, "p");
        clock.advance(TTL);
        assertThat(ids(programs)).isEmpty();
        finish(programs, "p");
        assertThat(programs.view("x").programs().get(0).attainedService()).isEqualTo(3);
    }

    @Test
    void madeUpIdsDoNotFillTheMemory() {
        Programs programs = programs(Map.of());
        ProgramAwareFairnessPolicy policy = new ProgramAwareFairnessPolicy(programs);
        policy.activated(new TestFlow("waiting").add(0));
        for (int i = 0; i < 5 * Programs.MOST; i++) {
            finish(programs, "made-up-" + i);
            clock.advance(Duration.ofNanos(1));
        }
        assertThat(ids(programs)).hasSizeLessThanOrEqualTo(Programs.MOST)
                .contains("waiting", "made-up-" + (5 * Programs.MOST - 1)).doesNotContain("made-up-0");
    }

    @Test
    void everyEndIsCountedWhoeverTellsOfIt() throws InterruptedException {
        Programs programs = programs(Map.of("lasHalfLifeSeconds", 0));
        int threads = 4;
        int each = 5000;
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                for (int i = 0; i < each; i++) {
                    finish(programs, "p" + i % 3);
                }
            });
            thread.start();
            all.add(thread);
        }
        start.countDown();
        for (Thread thread : all) {
            thread.join();
        }
        double total = 0;
        for (String id : List.of("p0", "p1", "p2")) {
            Program program = programs.find(id);
            assertThat(program).isNotNull();
            assertThat(program.isIdle()).isTrue();
            total += program.service(programs.aged(clock.getAsLong()));
        }
        assertThat(total).isCloseTo(3.0 * threads * each, within(1e-3));
    }
}
