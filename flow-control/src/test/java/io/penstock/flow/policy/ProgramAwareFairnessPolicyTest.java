package io.penstock.flow.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.flow.FlowKey;
import io.penstock.flow.testkit.ManualClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProgramAwareFairnessPolicyTest {

    private final ManualClock clock = new ManualClock();
    private Programs programs = programs(Map.of());

    private Programs programs(Map<String, Object> parameters) {
        return new Programs(ProgramAwareConfig.from(parameters), clock);
    }

    private ProgramAwareFairnessPolicy policy() {
        return new ProgramAwareFairnessPolicy(programs);
    }

    private TestFlow flow(String id) {
        return new TestFlow(id).add(clock.getAsLong());
    }

    private void serve(String id, long prompt, long completion) {
        programs.finished(new FlowKey(id, 0), prompt, completion);
    }

    private double service(String id) {
        Program program = programs.find(id);
        return program == null ? -1 : program.service(programs.aged(clock.getAsLong()));
    }

    @Test
    void serviceIsHalfAfterOneHalfLife() {
        serve("p", 1000, 0);
        clock.advance(Duration.ofSeconds(60));
        assertThat(service("p")).isCloseTo(500, within(1e-6));
        clock.advance(Duration.ofSeconds(120));
        assertThat(service("p")).isCloseTo(125, within(1e-6));
    }

    @Test
    void whatIsThereDecaysBeforeMoreIsAdded() {
        serve("p", 1000, 0);
        clock.advance(Duration.ofSeconds(60));
        serve("p", 100, 0);
        assertThat(service("p")).isCloseTo(600, within(1e-6));
        assertThat(programs.view("x").programs().get(0).attainedService()).isCloseTo(600, within(1e-6));
        clock.advance(Duration.ofSeconds(60));
        assertThat(programs.view("x").programs().get(0).attainedService()).as("not decayed while idle").isCloseTo(600, within(1e-6));
    }

    @Test
    void outputCountsDouble() {
        serve("p", 10, 20);
        assertThat(service("p")).isCloseTo(50, within(1e-9));
    }

    @Test
    void negativeCountsAreNone() {
        serve("p", -5, -5);
        assertThat(service("p")).isZero();
    }

    @Test
    void withoutAHalfLifeNothingDecays() {
        programs = programs(Map.of("lasHalfLifeSeconds", 0));
        serve("p", 1000, 0);
        clock.advance(Duration.ofDays(30));
        serve("p", 1000, 0);
        assertThat(service("p")).isCloseTo(2000, within(1e-6));
    }

    @Test
    void serviceStaysExactOverMonths() {
        programs = programs(Map.of("lasHalfLifeSeconds", 1));
        clock.advance(Duration.ofDays(200));
        serve("p", 1000, 0);
        clock.advance(Duration.ofSeconds(1));
        assertThat(service("p")).isCloseTo(500, within(1e-3));
    }

    @Test
    void theProgramWithLeastServiceIsNext() {
        ProgramAwareFairnessPolicy policy = policy();
        TestFlow heavy = flow("heavy");
        TestFlow light = flow("light");
        TestFlow fresh = flow("fresh");
        serve("heavy", 1000, 0);
        serve("light", 10, 0);
        policy.activated(heavy);
        policy.activated(light);
        assertThat(policy.pick()).isSameAs(light);
        policy.activated(fresh);
        assertThat(policy.pick()).isSameAs(fresh);
    }

    @Test
    void serviceThatArrivesWhileAFlowWaitsCounts() {
        ProgramAwareFairnessPolicy policy = policy();
        TestFlow a = flow("a");
        TestFlow b = flow("b");
        policy.activated(a);
        policy.activated(b);
        serve("a", 10, 0);
        assertThat(policy.pick()).isSameAs(b);
        serve("b", 20, 0);
        assertThat(policy.pick()).isSameAs(a);
    }

    @Test
    void aHeavyProgramThatWasIdleForLongWinsOverALightOneThatWasNot() {
        ProgramAwareFairnessPolicy policy = policy();
        serve("heavy", 100_000, 0);
        clock.advance(Duration.ofMinutes(30));
        serve("light", 50, 0);
        TestFlow heavy = flow("heavy");
        TestFlow light = flow("light");
        policy.activated(light);
        policy.activated(heavy);
        assertThat(policy.pick()).isSameAs(heavy);
    }

    @Test
    void theOrderHoldsOverManyHalfLives() {
        programs = programs(Map.of("lasHalfLifeSeconds", 1));
        ProgramAwareFairnessPolicy policy = policy();
        TestFlow a = flow("a");
        TestFlow b = flow("b");
        policy.activated(a);
        policy.activated(b);
        for (int hour = 0; hour < 48; hour++) {
            clock.advance(Duration.ofHours(1));
            serve("a", 100, 0);
            serve("b", hour % 2 == 0 ? 101 : 99, 0);
            assertThat(policy.pick()).isSameAs(hour % 2 == 0 ? a : b);
        }
    }

    @Test
    void aLongWaitMakesUpForSomeService() {
        programs = programs(Map.of("lasWeightService", 0.4, "lasWeightHeadWait", 0.6));
        ProgramAwareFairnessPolicy policy = policy();
        TestFlow heavy = flow("heavy");
        serve("heavy", 1000, 0);
        clock.advance(Duration.ofMillis(5));
        TestFlow light = flow("light");
        policy.activated(heavy);
        policy.activated(light);
        assertThat(policy.pick()).as("0.4 * 0 + 0.6 * 1 against 0.4 * 1 + 0.6 * 0").isSameAs(heavy);
    }

    @Test
    void waitsAreComparedInWholeMilliseconds() {
        programs = programs(Map.of("lasWeightService", 0, "lasWeightHeadWait", 1));
        ProgramAwareFairnessPolicy policy = policy();
        long start = clock.getAsLong();
        TestFlow older = new TestFlow("older").addArrived(2, start);
        TestFlow younger = new TestFlow("younger").addArrived(1, start + 400_000);
        policy.activated(younger);
        policy.activated(older);
        clock.advance(Duration.ofNanos(900_000));
        assertThat(policy.pick()).as("a tie at 0 ms, which goes by arrival").isSameAs(younger);
        clock.advance(Duration.ofNanos(100_000));
        assertThat(policy.pick()).as("1 ms against 0").isSameAs(older);
    }

    @Test
    void aFlowSetAsideIsLeftOutAlsoOfTheComparison() {
        ProgramAwareFairnessPolicy policy = policy();
        TestFlow a = flow("a");
        TestFlow b = flow("b");
        serve("b", 10, 0);
        policy.activated(a);
        policy.activated(b);
        policy.setAside(a);
        assertThat(policy.pick()).isSameAs(b);
        policy.setAside(b);
        assertThat(policy.pick()).isNull();
        policy.restore();
        assertThat(policy.pick()).isSameAs(a);
    }

    @Test
    void flowsComeAndGoWhileOthersAreSetAside() {
        ProgramAwareFairnessPolicy policy = policy();
        TestFlow a = flow("a");
        TestFlow b = flow("b");
        TestFlow c = flow("c");
        policy.activated(a);
        policy.activated(b);
        policy.activated(c);
        policy.setAside(c);
        policy.deactivated(a);
        assertThat(policy.pick()).as("c has taken a's place and is still aside").isSameAs(b);
        policy.deactivated(b);
        assertThat(policy.pick()).isNull();
    }

    @Test
    void theIndexIsOneForEqualWaitsAndSmallForUnequalOnes() {
        ProgramAwareFairnessPolicy policy = policy();
        Map<String, TestFlow> flows = new HashMap<>();
        for (String id : new String[] {"a", "b", "never"}) {
            flows.put(id, flow(id));
            policy.activated(flows.get(id));
        }
        assertThat(programs.view("x").jainIndex()).as("nobody has waited").isEqualTo(1);
        clock.advanceMillis(10);
        policy.served(flows.get("a"), 1);
        assertThat(programs.view("x").jainIndex()).as("one has waited").isEqualTo(1);
        policy.served(flows.get("b"), 1);
        assertThat(programs.view("x").jainIndex()).isEqualTo(1);
        clock.advanceMillis(20);
        policy.served(flows.get("b"), 1);
        assertThat(programs.view("x").jainIndex()).as("waits of 10 and 20 on average").isCloseTo(900.0 / (2 * 500), within(1e-9));
        assertThat(programs.view("x").programs()).filteredOn(view -> view.program().equals("b")).singleElement().satisfies(view -> {
            assertThat(view.averageWaitMillis()).isCloseTo(20, within(1e-9));
            assertThat(view.dispatched()).isEqualTo(2);
        });
    }
}
