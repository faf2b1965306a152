package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.penstock.flow.CapacityReader;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.testkit.ManualClock;
import io.penstock.proxy.admitter.AdmitterSet;
import io.penstock.proxy.config.ProxyConfig.Timeouts;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.FlowResolver;
import io.penstock.proxy.request.RequestContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** A whole chain on the test's own thread, between a recording client and stub backends. */
final class ChainFixture implements AutoCloseable {

    final ManualClock clock = new ManualClock();
    final StubFlow flow = new StubFlow();
    final StubBackend backend = new StubBackend();
    final RecordingClient client = new RecordingClient(ImmediateEventExecutor.INSTANCE);
    final Map<String, Integer> objectives = new HashMap<>();
    final List<EndCause> ends = new ArrayList<>();
    final List<Throwable> capacityFailures = new ArrayList<>();
    final Endpoint endpoint = endpoint("vllm-0", 8000);
    final Endpoint other = endpoint("vllm-1", 8001);
    Endpoint bypassed = endpoint;
    CapacityReader capacity = priority -> new CapacitySnapshot(100, 81);
    boolean shortName;
    long maxBody = 1 << 20;
    Timeouts timeouts = new Timeouts(Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ZERO);
    int badTtls;
    final List<String> denials = new ArrayList<>();
    final AdmitterSet admitters = new AdmitterSet(denials::add);
    final List<FlowKey> finished = new ArrayList<>();
    @Nullable BodyCollection collection;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private RequestChain chain;

    static Endpoint endpoint(String name, int port) {
        return new Endpoint(new EndpointSpec("default", name, "127.0.0.1", port, Map.of()));
    }

    RequestChain chain() {
        if (chain == null) {
            ChainServices services = new ChainServices(flow, priority -> capacity.capacitySnapshot(priority), shortName,
                    capacityFailures::add, request -> bypassed, new FlowResolver(() -> objectives, List::of, () -> badTtls++), admitters,
                    (flow, prompt, completion) -> finished.add(flow), timeouts, maxBody, collection,
                    (context, cause) -> ends.add(cause), ForwardEvents.NONE, clock);
            chain = RequestChain.build(services, backend, timer);
        }
        return chain;
    }

    /** A request with its whole body, submitted and waiting. */
    RequestContext submit(String... headers) {
        RequestContext context = client.request(headers);
        chain().onRequest(context, false);
        chain().onData(context, bytes("{}"), true);
        return context;
    }

    /** A request that flow control has admitted to a band and charged to {@link #endpoint}. */
    StubFlow.StubLease dispatch(int effectivePriority) {
        StubFlow.StubLease lease = new StubFlow.StubLease(endpoint);
        flow.last().dispatch(new FlowKey(FlowKey.DEFAULT_FAIRNESS_ID, effectivePriority), lease, 7_900_000);
        return lease;
    }

    static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        for (RequestContext open : client.requests) {
            if (!open.phase().over()) {
                chain().onClosed(open, ClientGone.DISCONNECTED);
            }
        }
        chain().close();
        timer.shutdownNow();
    }
}
