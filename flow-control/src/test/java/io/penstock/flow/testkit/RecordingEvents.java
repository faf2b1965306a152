package io.penstock.flow.testkit;

import io.penstock.flow.FlowEvents;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counts what flow control tells. Any thread. */
public final class RecordingEvents implements FlowEvents {

    private final Map<Outcome, AtomicInteger> outcomes = new ConcurrentHashMap<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final List<FlowKey> fallbacks = new CopyOnWriteArrayList<>();
    private final List<Integer> removed = new CopyOnWriteArrayList<>();
    private final Map<Stage, Double> stages = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicInteger decisions = new AtomicInteger();
    private final List<String> enqueued = Collections.synchronizedList(new ArrayList<>());
    private final List<FlowKey> forgotten = Collections.synchronizedList(new ArrayList<>());
    private final List<String> reclaims = new CopyOnWriteArrayList<>();
    private volatile boolean noting;
    private volatile double reclaimPending;
    private volatile double effective = Double.NaN;

    /** How many submissions ended so. */
    public int count(Outcome outcome) {
        return outcomes.getOrDefault(outcome, new AtomicInteger()).get();
    }

    /** What threw, in order. */
    public List<String> failures() {
        return failures;
    }

    /** Requested flows that went to band 0. */
    public List<FlowKey> fallbacks() {
        return fallbacks;
    }

    /** Bands that have gone. */
    public List<Integer> removed() {
        return removed;
    }

    /** Last values of the stages that have endpoints. */
    public Map<Stage, Double> stages() {
        return stages;
    }

    /** Each arrival that the drainer took in, as {@code id:priority outcome millis}; a dash for no outcome. */
    public List<String> enqueued() {
        return enqueued;
    }

    /** Flows that were forgotten, in order. */
    public List<FlowKey> forgotten() {
        return forgotten;
    }

    /** What was told of revocations, as {@code revoked priority count}, {@code confirmed millis} or {@code timed out millis}. */
    public List<String> reclaims() {
        return reclaims;
    }

    public double reclaimPending() {
        return reclaimPending;
    }

    /** Keeps {@link #enqueued} and {@link #forgotten} from now on: lists that grow with each request. */
    public void note() {
        noting = true;
    }

    public double effective() {
        return effective;
    }

    /** Submitted and not settled. */
    public int waiting() {
        return waiting.get();
    }

    public long waitingBytes() {
        return waitingBytes.get();
    }

    public int decisions() {
        return decisions.get();
    }

    @Override
    public void submitted(FlowKey requested, long bytes) {
        waiting.incrementAndGet();
        waitingBytes.addAndGet(bytes);
    }

    @Override
    public void settled(FlowKey requested, FlowKey key, Outcome outcome, long bytes, long waitedNanos) {
        waiting.decrementAndGet();
        waitingBytes.addAndGet(-bytes);
        outcomes.computeIfAbsent(outcome, any -> new AtomicInteger()).incrementAndGet();
    }

    @Override
    public void enqueued(FlowKey key, @Nullable Outcome outcome, long nanos) {
        if (noting) {
            String how = outcome == null ? "-" : outcome.label();
            enqueued.add(key.fairnessId() + ':' + key.priority() + ' ' + how + ' ' + nanos / 1_000_000);
        }
    }

    @Override
    public void flowRemoved(FlowKey flow) {
        if (noting) {
            forgotten.add(flow);
        }
    }

    @Override
    public void revoked(int demandPriority, int requests) {
        reclaims.add("revoked " + demandPriority + ' ' + requests);
    }

    @Override
    public void revocationEnded(boolean confirmed, long nanos) {
        reclaims.add((confirmed ? "confirmed " : "timed out ") + nanos / 1_000_000);
    }

    @Override
    public void reclaimPending(double pending) {
        reclaimPending = pending;
    }

    @Override
    public void stageSaturation(Stage stage, double value) {
        stages.put(stage, value);
    }

    @Override
    public void stageEmpty(Stage stage) {
        stages.remove(stage);
    }

    @Override
    public void effectiveSaturation(double value) {
        effective = value;
    }

    @Override
    public void bandRemoved(int priority) {
        removed.add(priority);
    }

    @Override
    public void decided(long nanos) {
        decisions.incrementAndGet();
    }

    @Override
    public void fellBack(FlowKey requested) {
        fallbacks.add(requested);
    }

    @Override
    public void failed(String what, Throwable cause) {
        failures.add(what);
    }
}
