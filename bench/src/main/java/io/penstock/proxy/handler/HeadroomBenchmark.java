package io.penstock.proxy.handler;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.flow.CapacityReader;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.proxy.http2.FlatHeaders;
import io.penstock.proxy.request.DownstreamExchange;
import io.penstock.proxy.request.HeaderNames;
import io.penstock.proxy.request.RequestContext;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the headroom header adds to a response (contract section 6): the same head goes through the handler, once for a request that flow
 * control admitted and once for one that it did not. The difference, less one more header line of the same kind (the queue duration), is
 * its price; {@link #read} is the read and the text alone. Run with {@code -prof gc}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xmx512m", "-XX:+UseParallelGC"})
public class HeadroomBenchmark {

    private static final AsciiString STATUS = AsciiString.cached("200");

    private final CapacitySnapshot[] snapshots = new CapacitySnapshot[5001];
    private int waiting;
    private final CapacityReader capacity = priority -> snapshots[waiting];
    private final HeadroomHandler bounded = new HeadroomHandler(capacity, false, failure -> {
    });
    private final HeadroomHandler unbounded = new HeadroomHandler(null, false, failure -> {
    });
    private final RequestContext admitted = context();
    private final RequestContext passed = context();
    private final Sink sink = new Sink();

    /** Takes the heads at the end of the chain. */
    private static final class Sink extends RequestHandler {

        @Override
        void headers(RequestContext context, Http2Headers head, boolean last) {
            // Only the handler before this one is measured.
        }
    }

    private static RequestContext context() {
        DownstreamExchange client = (DownstreamExchange) Proxy.newProxyInstance(HeadroomBenchmark.class.getClassLoader(),
                new Class<?>[] {DownstreamExchange.class}, (proxy, method, arguments) -> null);
        return new RequestContext(client, new FlatHeaders(4));
    }

    /** A band of 5000 places. */
    @Setup
    public void setUp() {
        for (int i = 0; i < snapshots.length; i++) {
            snapshots[i] = new CapacitySnapshot(5000, i);
        }
        sink.then(bounded);
        sink.then(unbounded);
        admitted.admitted(new FlowKey("tenant", 0), 0);
    }

    /** With headroom and queue duration. */
    @Benchmark
    public Http2Headers headroom() {
        return respond(bounded, admitted);
    }

    /** With the queue duration alone. */
    @Benchmark
    public Http2Headers withoutHeadroom() {
        return respond(unbounded, admitted);
    }

    /** With neither. */
    @Benchmark
    public Http2Headers notAdmitted() {
        return respond(bounded, passed);
    }

    /** The read and its text. */
    @Benchmark
    public AsciiString read() {
        waiting = waiting < 5000 ? waiting + 1 : 0;
        CapacitySnapshot now = capacity.capacitySnapshot(0);
        return now == null ? STATUS : Decimals.of(now.headroomRequests());
    }

    private Http2Headers respond(HeadroomHandler handler, RequestContext context) {
        waiting = waiting < 5000 ? waiting + 1 : 0;
        Http2Headers head = new FlatHeaders(10);
        head.status(STATUS);
        head.set(HeaderNames.RETRY_AFTER, STATUS);
        handler.headers(context, head, false);
        return head;
    }
}
