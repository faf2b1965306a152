package io.penstock.flow.policy;

import io.penstock.flow.FlowKey;
import io.penstock.flow.UsageSink;
import io.penstock.flow.policy.ProgramsView.ProgramView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one {@code program-aware-fairness} plugin remembers of its programs, a program being a fairness id in all bands (spec/flow-control
 * section 4.6). The drainer holds the programs of its waiting flows and counts dispatches, any thread ends requests, another reads metrics.
 * What nobody holds and nobody has used for a while is forgotten; beyond {@value #MOST} programs the longest unused half of those that
 * nobody holds goes sooner, so that made-up ids do not fill the memory.
 */
final class Programs implements UsageSink {

    static final int MOST = 16_384;

    private static final int PROMPT_COST = 1;
    private static final int COMPLETION_COST = 2;

    final ProgramAwareConfig config;
    final LongSupplier nanoClock;
    private final Map<String, Program> byId = new ConcurrentHashMap<>();
    private final long epochNanos;
    private final AtomicLong nextSweepNanos;

    Programs(ProgramAwareConfig config, LongSupplier nanoClock) {
        this.config = config;
        this.nanoClock = nanoClock;
        this.epochNanos = nanoClock.getAsLong();
        this.nextSweepNanos = new AtomicLong(epochNanos + config.sweepNanos());
    }

    /** The program of that id, which stays until it is released as often as it was held. */
    Program hold(String id) {
        while (true) {
            Program known = byId.get(id);
            if (known == null) {
                known = create(id);
            }
            if (known.tryHold()) {
                return known;
            }
            byId.remove(id, known);
        }
    }

    private Program create(String id) {
        long now = nanoClock.getAsLong();
        sweepIfDue(now);
        if (byId.size() >= MOST) {
            forgetHalf();
        }
        Program made = new Program(now);
        Program other = byId.putIfAbsent(id, made);
        return other == null ? made : other;
    }

    /** A request of a program that is held was dispatched. Drainer only. */
    void dispatched(Program program, long waitedNanos) {
        program.dispatched(waitedNanos);
    }

    @Override
    public void finished(FlowKey flow, long promptTokens, long completionTokens) {
        long now = nanoClock.getAsLong();
        Program program = hold(flow.fairnessId());
        double cost = (double) PROMPT_COST * Math.max(0, promptTokens) + (double) COMPLETION_COST * Math.max(0, completionTokens);
        program.finished(cost, aged(now), now);
        program.release();
    }

    /**
     * By how much, as a natural logarithm, service of the start has shrunk by now. What is served is kept as the logarithm of what it would
     * have been at the start, so that it decays without being touched.
     */
    double aged(long nowNanos) {
        return config.decayPerNano() * (nowNanos - epochNanos);
    }

    ProgramsView view(String plugin) {
        sweepIfDue(nanoClock.getAsLong());
        List<ProgramView> programs = new ArrayList<>(byId.size());
        byId.forEach((id, program) -> programs.add(program.view(id)));
        return new ProgramsView(plugin, jain(programs), programs);
    }

    private static double jain(List<ProgramView> programs) {
        double sum = 0;
        double squares = 0;
        int count = 0;
        for (ProgramView program : programs) {
            if (program.dispatched() > 0) {
                double wait = program.averageWaitMillis();
                sum += wait;
                squares += wait * wait;
                count++;
            }
        }
        return count < 2 || squares == 0 ? 1 : sum * sum / (count * squares);
    }

    private void sweepIfDue(long now) {
        long due = nextSweepNanos.get();
        if (config.evictionTtlNanos() == 0 || now - due < 0 || !nextSweepNanos.compareAndSet(due, now + config.sweepNanos())) {
            return;
        }
        forgetUnusedSince(now - config.evictionTtlNanos());
    }

    private void forgetUnusedSince(long last) {
        byId.forEach((id, program) -> {
            if (program.lastUsedNanos() - last <= 0 && program.tryForget()) {
                byId.remove(id, program);
            }
        });
    }

    private void forgetHalf() {
        long[] ages = byId.values().stream().filter(Program::isIdle).mapToLong(program -> program.lastUsedNanos() - epochNanos).toArray();
        if (ages.length > 0) {
            Arrays.sort(ages);
            forgetUnusedSince(epochNanos + ages[ages.length / 2]);
        }
    }

    /** For tests. */
    @Nullable Program find(String id) {
        return byId.get(id);
    }
}
