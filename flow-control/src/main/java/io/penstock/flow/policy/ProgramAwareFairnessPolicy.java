package io.penstock.flow.policy;

import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowHandle;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Least attained service (spec/flow-control section 4.6): serves the program that has had least of the model servers' work lately, and
 * counts a little how long its head has waited. Both are compared within the flows that wait, so each pick looks at all of those, and at
 * no others. Drainer only; {@link Programs} says what the policies of several bands share.
 */
final class ProgramAwareFairnessPolicy implements FairnessPolicy {

    private static final int FIRST_CAPACITY = 64;
    /** Above it a logarithm's power is no double any more; far enough below. */
    private static final double MOST_EXPONENT = 300;

    /** The bits of no logarithm of a service. */
    private static final long UNSEEN = Double.doubleToRawLongBits(Double.NaN);

    private final Programs programs;
    private FlowHandle[] flows = new FlowHandle[FIRST_CAPACITY];
    private Program[] owners = new Program[FIRST_CAPACITY];
    /** Of each flow the bits that its {@link #served} was made of: a power is computed only when they have changed. */
    private long[] seen = new long[FIRST_CAPACITY];
    /** Each flow's service in one unit for all, which is {@code e^unit} tokens of the start. */
    private double[] served = new double[FIRST_CAPACITY];
    private long[] passed = new long[FIRST_CAPACITY];
    private int size;
    private double unit;
    private long round = 1;

    ProgramAwareFairnessPolicy(Programs programs) {
        this.programs = programs;
    }

    @Override
    public String type() {
        return ProgramAwareConfig.TYPE;
    }

    @Override
    public void activated(FlowHandle flow) {
        if (size == flows.length) {
            grow();
        }
        Program owner = programs.hold(flow.fairnessId());
        put(size++, flow, owner, 0);
    }

    @Override
    public void deactivated(FlowHandle flow) {
        int hole = flow.slot();
        owners[hole].release();
        int last = --size;
        if (hole < last) {
            put(hole, flows[last], owners[last], passed[last]);
        }
        flows[last] = null;
        owners[last] = null;
    }

    @Override
    public void headChanged(FlowHandle flow) {
        // Heads are looked at when one is picked.
    }

    @Override
    public @Nullable FlowHandle pick() {
        long now = programs.nanoClock.getAsLong();
        refresh();
        double leastServed = Double.POSITIVE_INFINITY;
        double mostServed = 0;
        long leastWait = Long.MAX_VALUE;
        long mostWait = Long.MIN_VALUE;
        for (int i = 0; i < size; i++) {
            if (passed[i] != round) {
                leastServed = Math.min(leastServed, served[i]);
                mostServed = Math.max(mostServed, served[i]);
                long wait = waitMillis(i, now);
                leastWait = Math.min(leastWait, wait);
                mostWait = Math.max(mostWait, wait);
            }
        }
        double bestScore = Double.NEGATIVE_INFINITY;
        FlowHandle best = null;
        for (int i = 0; i < size; i++) {
            if (passed[i] != round) {
                double score = programs.config.weightService() * (1 - norm(served[i], leastServed, mostServed))
                        + programs.config.weightHeadWait() * norm(waitMillis(i, now), leastWait, mostWait);
                if (best == null || score > bestScore || score == bestScore && flows[i].headArrival() < best.headArrival()) {
                    bestScore = score;
                    best = flows[i];
                }
            }
        }
        return best;
    }

    private static double norm(double value, double least, double most) {
        return most == least ? 0.5 : (value - least) / (most - least);
    }

    private long waitMillis(int flow, long now) {
        return TimeUnit.NANOSECONDS.toMillis(now - flows[flow].headSubmittedNanos());
    }

    /** All programs decay alike, so their ratios change only when one is served, and those are all that is compared. */
    private void refresh() {
        for (int i = 0; i < size; i++) {
            long bits = owners[i].serviceBits();
            if (bits == seen[i]) {
                continue;
            }
            double logarithm = Double.longBitsToDouble(bits);
            if (logarithm - unit > MOST_EXPONENT) {
                unit = logarithm;
                Arrays.fill(seen, 0, size, UNSEEN);
                refresh();
                return;
            }
            seen[i] = bits;
            served[i] = Math.exp(logarithm - unit);
        }
    }

    @Override
    public void served(FlowHandle flow, long bytes) {
        programs.dispatched(owners[flow.slot()], programs.nanoClock.getAsLong() - flow.headSubmittedNanos());
    }

    @Override
    public void setAside(FlowHandle flow) {
        passed[flow.slot()] = round;
    }

    @Override
    public void restore() {
        round++;
    }

    private void put(int place, FlowHandle flow, Program owner, long passedIn) {
        flows[place] = flow;
        owners[place] = owner;
        passed[place] = passedIn;
        seen[place] = UNSEEN;
        flow.slot(place);
    }

    private void grow() {
        int capacity = size * 2;
        flows = Arrays.copyOf(flows, capacity);
        owners = Arrays.copyOf(owners, capacity);
        seen = Arrays.copyOf(seen, capacity);
        served = Arrays.copyOf(served, capacity);
        passed = Arrays.copyOf(passed, capacity);
    }
}
