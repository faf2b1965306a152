package io.penstock.bench;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.CapacityReader;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowController;
import io.penstock.flow.Lease;
import io.penstock.flow.PoolView;
import io.penstock.flow.Ticket;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.engine.Collaborators;
import io.penstock.flow.engine.FlowControllers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Admission and dispatch without a socket (contract section 6): through an empty queue, and with 5000 flows and 5000 waiting requests,
 * where every operation is one arrival and one dispatch. Run with {@code -prof gc}: what is allocated per operation is the ticket.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xmx512m", "-XX:+UseParallelGC"})
public class FlowBenchmark {

    private static final int FLOWS = 5000;
    private static final Executor HERE = Runnable::run;

    private final OneSlot slot = new OneSlot();
    private final AdmissionListener listener = FlowRig.CLOSING;
    private final AdmissionRequest[] requests = FlowRig.requests(1, FLOWS);
    private FlowController controller;
    private CapacityReader capacity;
    private int next;

    /** An idle controller whose pool has one endpoint. */
    @Setup(Level.Iteration)
    public void setUp() {
        PoolView pool = new PoolView(List.of(slot), Map.of());
        controller = FlowControllers.create(FlowControlConfig.defaults(),
                Collaborators.of(slot, slot::place, () -> pool, System::nanoTime));
        capacity = controller.capacity();
        slot.closed = false;
    }

    /** Arrival, decision, dispatch, and nothing waits before or after. */
    @Benchmark
    public Ticket emptyQueue() {
        return controller.submit(requests[0], listener, HERE);
    }

    /** The same with its own state. */
    @State(Scope.Thread)
    public static class Backlog {

        /** Fills the band, one request in each flow. */
        @Setup(Level.Iteration)
        public void fill(FlowBenchmark bench) {
            bench.slot.closed = true;
            for (int i = 0; i < FLOWS - 1; i++) {
                bench.controller.submit(bench.requests[i], bench.listener, HERE);
            }
        }
    }

    /** One arrival at a random flow and one dispatch of the oldest, behind 4999 others. */
    @Benchmark
    public Ticket fiveThousandFlowsWaiting(Backlog backlog) {
        next = next * 1664525 + 1013904223;
        slot.allowed = 1;
        return controller.submit(requests[(next >>> 8) % FLOWS], listener, HERE);
    }

    /** The count behind the headroom header. */
    @Benchmark
    public long headroom() {
        var snapshot = capacity.capacitySnapshot(0);
        return snapshot == null ? -1 : snapshot.headroomRequests();
    }

    /** Full as soon as it is closed, but for what is allowed. */
    private static final class OneSlot extends OneEndpoint {

        private boolean closed;
        private int allowed;

        @Nullable Lease place(AdmissionRequest request) {
            if (closed) {
                allowed--;
            }
            return this;
        }

        @Override
        public double saturation(List<EndpointView> endpoints, long nowNanos) {
            return closed && allowed <= 0 ? 1.0 : 0.0;
        }
    }
}
