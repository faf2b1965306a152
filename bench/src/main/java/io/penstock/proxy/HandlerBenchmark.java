package io.penstock.proxy;

import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A whole request between the two codecs, with flow control and without (contract section 6): {@link #request} less {@link #inputs} is what
 * chain, flow control, placement and metrics cost, and {@code flowControl=on} less {@code off} is flow control's share. Run with
 * {@code -prof gc}; on a busy machine the bytes are exact and the times are not.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xmx512m", "-XX:+UseParallelGC"})
public class HandlerBenchmark {

    /** Off: no band, no queue, no headroom header; {@code SheddingController}. */
    @Param({"on", "off"})
    private String flowControl = "on";

    /** Members of the pool, each of which detector and placement look at. */
    @Param({"2", "100"})
    private int endpoints = 2;

    private HandlerRig rig;

    /** A proxy without sockets. */
    @Setup
    public void setUp() throws IOException {
        rig = new HandlerRig("on".equals(flowControl), endpoints);
    }

    /** Gives back what it holds. */
    @TearDown
    public void tearDown() {
        rig.close();
    }

    /** A request of 500 bytes and its answer of 500 bytes. */
    @Benchmark
    public Http2Headers request() {
        return rig.request();
    }

    /** The two heads and the two buffers that every request begins with. */
    @Benchmark
    public int inputs() {
        return rig.inputs();
    }
}
