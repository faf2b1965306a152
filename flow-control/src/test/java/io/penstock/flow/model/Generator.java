package io.penstock.flow.model;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.GateOn;
import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Makes a random script from a seed: small limits, few flows and round times, so that things meet. One thread. */
final class Generator {

    private static final int[] PRIORITIES = {-5, -1, 0, 1, 3, 7};
    private static final String[] FLOWS = {"a", "b", "c", "d"};
    private static final long MS = 1_000_000;
    private static final long[] TIMES = {1, MS, 10 * MS, 20 * MS - 1, 20 * MS, 50 * MS, 100 * MS, 1000 * MS, 4400 * MS, 11_000 * MS,
            300_000 * MS};
    private static final long[] BUDGETS = {0, 20 * MS, 50 * MS, 100 * MS, 1000 * MS};
    private static final long[] REQUEST_LIMITS = {1, 2, 3, 5, CapacitySnapshot.UNBOUNDED};
    private static final long[] BYTE_LIMITS = {700, 1500, CapacitySnapshot.UNBOUNDED, CapacitySnapshot.UNBOUNDED};
    private static final long[] BYTES = {0, 1, 300, 500, 701};
    private static final double[] SATURATIONS = {0, 0.25, 0.5, 0.75, 0.9, 1.0, 1.5};
    private static final double[] THRESHOLDS = {0.25, 0.5, 0.75, 0.9};
    private static final String[] ROLES = {"", "decode", "prefill", "both", "encode"};
    private static final String[] FAIRNESS = {"global-strict-fairness-policy", "global-strict-fairness-policy",
        "round-robin-fairness-policy", "by-requests", "by-bytes", "by-tokens"};
    private static final String[] ORDERING = {"fcfs-ordering-policy", "edf-ordering-policy", "slo-deadline-ordering-policy"};
    private static final String[] SELECTIONS = {"strict", "strict", "starvation-bound-policy", "weighted-band-policy"};

    private final Random random;
    private int nextId;

    Generator(long seed) {
        this.random = new Random(seed);
    }

    Script script() {
        Setup setup = setup();
        List<Step> steps = new ArrayList<>();
        int length = 10 + random.nextInt(45);
        steps.add(new Step.Pool(random.nextInt(10) == 0 ? 0 : (1 << setup.roles().size()) - 1));
        if (random.nextInt(3) > 0) {
            steps.add(new Step.Saturate(0, pick(SATURATIONS)));
            steps.add(new Step.Saturate(2, pick(SATURATIONS)));
        }
        while (steps.size() < length) {
            steps.add(step(setup));
        }
        return new Script(setup, steps);
    }

    Setup setup() {
        List<String> roles = new ArrayList<>();
        int endpoints = 1 + random.nextInt(4);
        boolean split = random.nextBoolean();
        for (int i = 0; i < endpoints; i++) {
            roles.add(split ? ROLES[random.nextInt(ROLES.length)] : "");
        }
        return new Setup(config(), ceilings(), selection(), roles, split && random.nextBoolean(), random.nextInt(3) > 0);
    }

    private FlowControlConfig config() {
        List<BandConfig> bands = new ArrayList<>();
        for (int priority : PRIORITIES) {
            if (random.nextInt(3) == 0) {
                bands.add(band(priority));
            }
        }
        boolean global = random.nextInt(4) == 0;
        return new FlowControlConfig(global ? 2 + random.nextInt(6) : CapacitySnapshot.UNBOUNDED,
                global ? 600 + random.nextInt(2000) : CapacitySnapshot.UNBOUNDED, pick(BUDGETS), pick(BUDGETS), band(0),
                random.nextBoolean() ? band(0) : null, bands, GateOn.all().get(random.nextInt(3) * random.nextInt(2)),
                random.nextInt(3) == 0 ? 10 * MS * (1 + random.nextInt(3)) : FlowControlConfig.NO_EVICTION);
    }

    private BandConfig band(int priority) {
        return new BandConfig(priority, pick(REQUEST_LIMITS), pick(BYTE_LIMITS), random.nextBoolean() ? BandConfig.INHERIT : pick(BUDGETS),
                FAIRNESS[random.nextInt(FAIRNESS.length)], ORDERING[random.nextInt(ORDERING.length)]);
    }

    private Setup.Ceilings ceilings() {
        if (random.nextInt(3) == 0) {
            return new Setup.Ceilings("priority-holdback-policy", random.nextInt(4) / 4.0, random.nextBoolean());
        }
        return new Setup.Ceilings("static-usage-limit-policy", random.nextInt(3) == 0 ? pick(THRESHOLDS) : 1.0, false);
    }

    private Setup.Selection selection() {
        return new Setup.Selection(SELECTIONS[random.nextInt(SELECTIONS.length)], 1 + random.nextInt(3) * 20L, 1 + random.nextInt(3));
    }

    private Step step(Setup setup) {
        int dice = random.nextInt(200);
        if (dice < 90) {
            return submit();
        }
        if (dice < 104) {
            return new Step.Cancel(some());
        }
        if (dice < 130) {
            return new Step.Close(some());
        }
        if (dice < 137) {
            return new Step.Again(some(), nextId++, random.nextInt(4) > 0);
        }
        if (dice < 150) {
            return new Step.Advance(pick(TIMES));
        }
        if (dice < 160) {
            return new Step.Tick();
        }
        if (dice < 174) {
            return new Step.Saturate(random.nextInt(3), pick(SATURATIONS));
        }
        return rare(setup, dice);
    }

    private Step rare(Setup setup, int dice) {
        if (dice < 179) {
            return new Step.Pool(random.nextInt(2) == 0 ? 0 : random.nextInt(1 << setup.roles().size()));
        }
        if (dice < 183) {
            return new Step.Limit(random.nextInt(4));
        }
        if (dice < 188) {
            return new Step.Provision(wanted());
        }
        if (dice < 190) {
            return new Step.Hold(random.nextInt(3) == 0);
        }
        if (dice < 194) {
            return new Step.Run(1 + random.nextInt(2));
        }
        if (dice < 196) {
            return new Step.Reload(setup.reloaded(setup()));
        }
        return switch (random.nextInt(20)) {
            case 0, 1 -> new Step.Refuse(2);
            case 2, 3 -> new Step.BeginDrain();
            case 4 -> new Step.Shutdown();
            default -> new Step.Tick();
        };
    }

    private Step.Submit submit() {
        boolean slo = random.nextInt(2) == 0;
        int owner = random.nextInt(8);
        return new Step.Submit(nextId++, FLOWS[random.nextInt(FLOWS.length)], PRIORITIES[random.nextInt(PRIORITIES.length)], pick(BYTES),
                random.nextInt(3) == 0 ? pick(BUDGETS) : 0, random.nextInt(3) * MS, slo ? pick(BUDGETS) : -1, random.nextInt(5) * 100,
                owner > 2 ? 0 : owner);
    }

    /** A request that has come by now, rather a late one. */
    private int some() {
        int back = Math.min(random.nextInt(12), random.nextInt(12));
        return Math.max(0, nextId - 1 - back);
    }

    private Set<Integer> wanted() {
        Set<Integer> wanted = new TreeSet<>();
        for (int priority : PRIORITIES) {
            if (random.nextBoolean()) {
                wanted.add(priority);
            }
        }
        return wanted;
    }

    private long pick(long[] from) {
        return from[random.nextInt(from.length)];
    }

    private double pick(double[] from) {
        return from[random.nextInt(from.length)];
    }
}
