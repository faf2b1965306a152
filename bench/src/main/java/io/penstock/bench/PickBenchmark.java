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
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a fairness policy costs per dispatch, by flows that wait and by flows that have nothing waiting: idle ones must cost nothing, and
 * waiting ones no more than their logarithm.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xmx512m", "-XX:+UseParallelGC"})
public class PickBenchmark {

    /** The plugin type. */
    @Param({"global-strict-fairness-policy", "round-robin-fairness-policy", "weighted-fairness-policy"})
    public String fairness;
    /** Flows with one request waiting. */
    @Param({"16", "256", "4096"})
    public int busy;
    /** Flows that had a request and are remembered. */
    @Param({"0", "8000"})
    public int idle;

    private FlowRig rig;
    private AdmissionRequest[] requests;
    private int next;

    /** Makes the idle flows known, then lets the others wait. */
    @Setup(Level.Iteration)
    public void fill() {
        rig = new FlowRig(1, fairness);
        requests = FlowRig.requests(1, busy);
        AdmissionRequest[] all = FlowRig.requests(1, busy + idle);
        rig.tap.allow(idle);
        for (int i = busy; i < all.length; i++) {
            rig.controller.submit(all[i], FlowRig.CLOSING, Runnable::run);
        }
        rig.tap.shut();
        for (AdmissionRequest request : requests) {
            rig.controller.submit(request, FlowRig.CLOSING, Runnable::run);
        }
    }

    /** One arrival and one dispatch; the flows take turns, so that every one of them keeps waiting. */
    @Benchmark
    public Ticket dispatch() {
        next = next + 1 < requests.length ? next + 1 : 0;
        rig.tap.allow(1);
        return rig.controller.submit(requests[next], FlowRig.CLOSING, Runnable::run);
    }
}
