package io.penstock.bench;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.Ticket;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One arrival at a random flow and one dispatch, over bands, flows, requests that wait meanwhile, and producers. llm-d publishes rates of
 * the same axes (spec/flow-control section 11.4).
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xmx512m", "-XX:+UseParallelGC"})
public class FlowMatrixBenchmark {

    private static final int MOST_AHEAD = 1000;

    /** Priorities 0 and up. */
    @Param({"1", "8"})
    public int bands;
    /** Fairness ids, spread over the bands. */
    @Param({"1", "10", "5000"})
    public int flows;
    /** Requests that wait before and after each operation. */
    @Param({"0", "10", "5000"})
    public int waiting;

    private FlowRig rig;
    private AdmissionRequest[] requests;

    /** Where a producer is in its walk over the flows. */
    @State(Scope.Thread)
    public static class Producer {
        private int next;
    }

    /** Lets the requests wait. */
    @Setup(Level.Iteration)
    public void fill() {
        rig = new FlowRig(bands, FlowRig.GLOBAL_STRICT);
        requests = FlowRig.requests(bands, Math.max(flows, bands));
        for (int i = 0; i < waiting; i++) {
            rig.controller.submit(requests[i % requests.length], FlowRig.CLOSING, Runnable::run);
        }
    }

    /** One producer. */
    @Benchmark
    @Threads(1)
    public Ticket oneProducer(Producer producer) {
        return pass(producer);
    }

    /** Two producers, one of which drains at a time; the other waits where it is too far ahead, as a closed loop of clients would. */
    @Benchmark
    @Threads(2)
    public Ticket twoProducers(Producer producer) {
        Ticket ticket = pass(producer);
        while (rig.tap.owed() > MOST_AHEAD) {
            Thread.onSpinWait();
        }
        return ticket;
    }

    private Ticket pass(Producer producer) {
        producer.next = producer.next * 1664525 + 1013904223;
        rig.tap.allow(1);
        return rig.controller.submit(requests[(producer.next >>> 8) % requests.length], FlowRig.CLOSING, Runnable::run);
    }
}
