package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.config.BandConfig;
import io.penstock.flow.policy.Policies;
import io.penstock.flow.policy.PolicySet;
import io.penstock.flow.policy.PolicySpec;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies of flows and of requests with the engine around them: who is served, through cancels, full endpoints and forgotten flows. */
class PoliciesInDispatchTest {

    private final List<String> order = new ArrayList<>();

    private static Rig rig(String fairness, Map<String, Object> parameters, String ordering) {
        BandConfig band = new BandConfig(0, 10_000, BandConfig.DEFAULT_MAX_BYTES, 0, "flows", "requests");
        return new Rig(Rig.config(band, List.of(band)), with -> {
            PolicySet policies = PolicySet.of(List.of(new PolicySpec("flows", fairness, parameters),
                    new PolicySpec("requests", ordering, Map.of())), with.nanoClock());
            return with.withPolicies(policies::fairness, policies::ordering);
        });
    }

    private static Rig rig(String fairness) {
        return rig(fairness, Map.of(), BandConfig.FCFS);
    }

    private void note(Rig rig, TestRequest request) {
        note(rig, request, request.flowKey().fairnessId());
    }

    private void note(Rig rig, TestRequest request, String name) {
        rig.controller.submit(request, new RecordingListener(heard -> order.add(name)), rig.owner);
    }

    /** FC-20, by requests. */
    @Test
    void aTenantBehindAFloodIsNextOrNextButOne() {
        for (String type : List.of("round-robin-fairness-policy", "weighted-fairness-policy")) {
            order.clear();
            Rig rig = rig(type);
            for (int i = 0; i < 500; i++) {
                note(rig, TestRequest.of("a", 0));
            }
            note(rig, TestRequest.of("b", 0));
            rig.open();
            assertThat(order.subList(0, 2)).as(type).contains("b");
            assertThat(rig.events.failures()).isEmpty();
        }
    }

    /** FC-20, with bodies a hundred times larger. */
    @Test
    void tenantsGetTheSameBytesWhateverTheirRequestsSizes() {
        Rig rig = rig("weighted-fairness-policy", Map.of("cost", "bytes"), BandConfig.FCFS);
        for (int i = 0; i < 100; i++) {
            note(rig, TestRequest.of("large", 0).bytes(10_000));
        }
        for (int i = 0; i < 5000; i++) {
            note(rig, TestRequest.of("small", 0).bytes(100));
        }
        rig.open();
        long small = order.subList(0, 2020).stream().filter("small"::equals).count();
        assertThat(small).as("of 2020 requests, where 20 large ones are as much as 2000 small ones").isBetween(1998L, 2002L);
    }

    @Test
    void aRequestThatNoEndpointTakesLosesNoTurn() {
        Rig rig = rig("round-robin-fairness-policy");
        rig.placement.limit(1);
        note(rig, TestRequest.of("a", 0).excluding("e1"), "a-elsewhere");
        note(rig, TestRequest.of("b", 0));
        note(rig, TestRequest.of("c", 0));
        rig.open();
        assertThat(order).containsExactly("b");
    }

    @Test
    void whenTheBandForgetsTheFlowServedLastTheTurnStartsAgain() {
        Rig rig = rig("round-robin-fairness-policy");
        rig.placement.limit(1);
        note(rig, TestRequest.of("m", 0));
        rig.open();
        note(rig, TestRequest.of("a", 0));
        note(rig, TestRequest.of("z", 0));
        rig.tickAfter(Duration.ofMinutes(6));
        rig.placement.limit(2);
        rig.controller.signal();
        assertThat(order).containsExactly("m", "a");
    }

    @Test
    void theSoonerFirstTokenGoesFirstInTheFlowAndAmongFlows() {
        Rig rig = rig(BandConfig.GLOBAL_STRICT, Map.of(), "slo-deadline-ordering-policy");
        long now = rig.clock.getAsLong();
        note(rig, TestRequest.of("a", 0).slo(now, Duration.ofNanos(-1)), "none");
        note(rig, TestRequest.of("a", 0).slo(now, Duration.ofSeconds(9)), "nine");
        note(rig, TestRequest.of("a", 0).slo(now, Duration.ofSeconds(1)), "one");
        note(rig, TestRequest.of("b", 0).slo(now, Duration.ofSeconds(5)), "five");
        rig.open();
        assertThat(order).containsExactly("one", "five", "nine", "none");
    }

    /** Each step reloads to another fairness policy while requests wait, come and go, and are served. */
    @Test
    void policiesCanBeExchangedWhileRequestsWait() {
        Random random = new Random(5);
        Rig rig = rig(BandConfig.GLOBAL_STRICT);
        List<Rig.Sent> all = new ArrayList<>();
        for (int step = 0; step < 1000; step++) {
            random(random, rig, all);
            if (step % 10 == 0) {
                String next = Policies.FAIRNESS.get(random.nextInt(Policies.FAIRNESS.size()));
                exchange(rig, PolicySet.of(List.of(new PolicySpec("flows", next, Map.of()),
                        new PolicySpec("requests", BandConfig.FCFS, Map.of())), rig.clock));
            }
        }
        rig.placement.limit(Integer.MAX_VALUE);
        all.stream().filter(sent -> !((TestRequest) sent.request()).excluded().isEmpty()).forEach(sent -> sent.ticket().cancel());
        rig.open();
        assertThat(rig.waiting(0)).isZero();
        assertThat(rig.events.failures()).isEmpty();
    }

    @Test
    void aProgramIsForgottenThoughItsBandWasReloadedWhileItWaited() {
        Rig rig = rig(BandConfig.GLOBAL_STRICT);
        PolicySet policies = PolicySet.of(List.of(new PolicySpec("flows", "program-aware-fairness", Map.of()),
                new PolicySpec("requests", BandConfig.FCFS, Map.of())), rig.clock);
        exchange(rig, policies);
        Rig.Sent sent = rig.send(TestRequest.of("p", 0));
        exchange(rig, policies);
        rig.clock.advance(Duration.ofHours(2));
        assertThat(policies.programs().get(0).programs()).as("it waits").hasSize(1);
        sent.ticket().cancel();
        rig.clock.advance(Duration.ofHours(2));
        rig.controller.tick();
        assertThat(policies.programs().get(0).programs()).isEmpty();
    }

    private static void exchange(Rig rig, PolicySet policies) {
        BandConfig band = new BandConfig(0, 10_000, BandConfig.DEFAULT_MAX_BYTES, 0, "flows", "requests");
        rig.reconfigure(Rig.config(band, List.of(band)), with -> with.withPolicies(policies::fairness, policies::ordering));
    }

    static List<String> fairnessTypes() {
        return Policies.FAIRNESS;
    }

    @ParameterizedTest
    @MethodSource("fairnessTypes")
    void everyRequestHasOneOutcomeThroughAnyHistory(String type) {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            Rig rig = rig(type, Map.of(), seed % 2 == 0 ? "edf-ordering-policy" : "slo-deadline-ordering-policy");
            List<Rig.Sent> all = new ArrayList<>();
            for (int step = 0; step < 400; step++) {
                random(random, rig, all);
            }
            rig.placement.limit(Integer.MAX_VALUE);
            all.forEach(sent -> {
                if (sent.request() instanceof TestRequest request && !request.excluded().isEmpty()) {
                    sent.ticket().cancel();
                }
            });
            rig.open();
            assertThat(rig.waiting(0)).as("seed %d", seed).isZero();
            assertThat(rig.events.failures()).as("seed %d", seed).isEmpty();
            assertThat(all).allSatisfy(sent -> assertThat(sent.listener().outcomes()).isLessThanOrEqualTo(1));
        }
    }

    private static void random(Random random, Rig rig, List<Rig.Sent> all) {
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3, 4 -> {
                TestRequest request = TestRequest.of("f" + random.nextInt(12), 0).bytes(random.nextInt(10_000))
                        .slo(rig.clock.getAsLong(), Duration.ofMillis(random.nextInt(1000) - 100));
                all.add(rig.send(random.nextInt(6) == 0 ? request.excluding("e1") : request));
            }
            case 5, 6 -> {
                if (!all.isEmpty()) {
                    all.get(random.nextInt(all.size())).ticket().cancel();
                }
            }
            case 7 -> rig.tickAfter(Duration.ofSeconds(random.nextInt(100)));
            case 8 -> {
                rig.placement.limit(rig.placement.open() + random.nextInt(5));
                rig.open();
            }
            default -> rig.gate.close();
        }
    }
}
