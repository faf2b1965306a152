package io.penstock.bench;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.Ticket;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** 50 000 waiting requests in 8 bands and 5 000 flows, all given up by their clients, in no order: the time of one of them. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 20)
@Measurement(iterations = 20)
@Fork(value = 1, jvmArgsAppend = {"-Xmx1g", "-XX:+UseParallelGC"})
public class CancelBenchmark {

    private static final int WAITING = 50_000;
    private static final int BANDS = 8;
    private static final int FLOWS = 5000;

    private final AdmissionRequest[] requests = FlowRig.requests(BANDS, FLOWS);
    private final Ticket[] tickets = new Ticket[WAITING];

    /** Lets them wait. */
    @Setup(Level.Invocation)
    public void fill() {
        FlowRig rig = new FlowRig(BANDS, FlowRig.GLOBAL_STRICT, TimeUnit.MINUTES.toNanos(1));
        for (int i = 0; i < WAITING; i++) {
            tickets[i] = rig.controller.submit(requests[i % FLOWS], FlowRig.CLOSING, Runnable::run);
        }
        Collections.shuffle(Arrays.asList(tickets), new Random(1));
    }

    /** Every one of them goes; each frees its place at once. */
    @Benchmark
    @OperationsPerInvocation(WAITING)
    public int cancelAll() {
        int cancelled = 0;
        for (Ticket ticket : tickets) {
            cancelled += ticket.cancel() ? 1 : 0;
        }
        if (cancelled != WAITING) {
            throw new IllegalStateException("cancelled: " + cancelled + " (expected: " + WAITING + ")");
        }
        return cancelled;
    }
}
