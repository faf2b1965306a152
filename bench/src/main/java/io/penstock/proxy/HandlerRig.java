package io.penstock.proxy;


import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.netty.util.internal.PlatformDependent;
import io.penstock.detect.DetectorEvents;
import io.penstock.flow.FlowController;
import io.penstock.proxy.accesslog.AccessLog;
import io.penstock.proxy.config.ConfigLoader;
import io.penstock.proxy.config.LoadOptions;
import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.PickerSettings;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.config.Source;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointPool;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.handler.ChainServices;
import io.penstock.proxy.handler.ForwardEvents;
import io.penstock.proxy.handler.RequestChain;
import io.penstock.proxy.http2.FlatHeaders;
import io.penstock.proxy.metrics.MeterFlowEvents;
import io.penstock.proxy.metrics.MetricsExport;
import io.penstock.proxy.metrics.PoolMeters;
import io.penstock.proxy.metrics.ProxyMeters;
import io.penstock.proxy.request.DownstreamExchange;
import io.penstock.proxy.request.FlowResolver;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import io.penstock.proxy.request.UpstreamConnector;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything between the two codecs as the product wires it, on one thread: the chain, flow control with three bands, detectors, placement
 * and metrics, between a client and a backend that only let go of what they get. One thread.
 */
final class HandlerRig implements AutoCloseable {

    private static final AsciiString LENGTH = AsciiString.cached("500");
    private static final AsciiString JSON = AsciiString.cached("application/json");
    private static final String DOCUMENTS = """
            apiVersion: penstock.io/v1alpha1
            kind: ProxyConfig
            accessLog: {path: "off"}
            ---
            apiVersion: llm-d.ai/v1alpha1
            kind: EndpointPickerConfig
            featureGates: [%s]
            plugins: [{type: concurrency-detector, parameters: {maxConcurrency: 1000}}]
            flowControl:
              saturationDetector: {pluginRef: concurrency-detector}
              priorityBands: [{priority: 0, maxRequests: "5000"}, {priority: 10, maxRequests: "5000"}, {priority: -10, maxRequests: "5000"}]
            """;

    private final LongSupplier clock = System::nanoTime;
    private final Loop loop = new Loop();
    private final Client client = new Client();
    private final Backend backend = new Backend();
    private final MetricsExport metrics = new MetricsExport(false);
    private final ByteBuf body = ByteBufAllocator.DEFAULT.buffer(500).writeZero(500);
    private final RequestChain chain;

    /**
     * @param flowControl whether it is switched on
     * @param endpoints in the pool
     */
    HandlerRig(boolean flowControl, int endpoints) throws IOException {
        Settings settings = settings(flowControl);
        EndpointPool pool = new EndpointPool(clock);
        ProxyMeters meters = new ProxyMeters(metrics);
        MeterFlowEvents events = new MeterFlowEvents(metrics, "", clock);
        FlowSignal signal = new FlowSignal();
        PickerSettings picker = settings.picker();
        DetectorEvents series = new DetectorSeries(new PoolMeters(metrics, "", List::of, LoadOptions.DEFAULT_STALENESS), events);
        ProxyConfig config = settings.proxy();
        FlowParts parts = new FlowParts(picker, new FlowParts.Surroundings(pool, clock, events, series, signal, ProxyOptions.defaults(),
                config.upstream().maxConnectionsPerEndpoint(), meters::denied));
        FlowController flow = parts.flow();
        signal.to(flow);
        List<EndpointSpec> specs = new ArrayList<>();
        for (int i = 0; i < endpoints; i++) {
            specs.add(EndpointSpec.of("e" + i, "127.0.0.1", 8000 + i, Map.of()));
        }
        pool.replace(specs);
        ChainServices services = new ChainServices(flow, flowControl ? flow.capacity() : null, false, failure -> {
            throw new IllegalStateException(failure);
        }, parts::pickUncounted, new FlowResolver(Map::of, parts::sessionHeaders, meters::badTtl), parts.admitters(), parts::finished,
                config.timeouts(), config.limits().maxRequestBodyBytes(), null,
                new RequestLog(meters, AccessLog.open(config.accessLog(), clock), clock), ForwardEvents.NONE, clock);
        chain = RequestChain.build(services, backend, noTimer());
    }

    /** The timers belong to the loop's thread, which here is the benchmark's: nothing runs that is not asked to. */
    private static ScheduledExecutorService noTimer() {
        return (ScheduledExecutorService) java.lang.reflect.Proxy.newProxyInstance(HandlerRig.class.getClassLoader(),
                new Class<?>[] {ScheduledExecutorService.class}, (proxy, method, arguments) -> null);
    }

    private static Settings settings(boolean flowControl) {
        LoadResult loaded = ConfigLoader.load(List.of(Source.text(DOCUMENTS.formatted(flowControl ? "flowControl" : ""))),
                LoadOptions.none());
        Settings settings = loaded.settings();
        if (settings == null) {
            throw new IllegalStateException(loaded.problems().toString());
        }
        return settings;
    }

    /** A client's head as its codec gives it: nine fields, all values new to the proxy. */
    Http2Headers requestHead() {
        return new FlatHeaders(16).method("POST").scheme("http").authority("127.0.0.1:19200").path("/v1/completions")
                .add(Names.CONTENT_TYPE, JSON).add(Names.CONTENT_LENGTH, LENGTH).add(Names.ACCEPT, Names.ANY)
                .add(Names.USER_AGENT, Names.AGENT);
    }

    /** A backend's head as its codec gives it. */
    Http2Headers responseHead() {
        return new FlatHeaders(10).status(Names.OK).add(Names.CONTENT_TYPE, JSON).add(Names.CONTENT_LENGTH, LENGTH)
                .add(Names.SERVER, Names.UVICORN).add(Names.DATE, Names.NOW);
    }

    /** A 500-byte POST and its 500-byte answer, whole: head, body, turn of the loop, head, body, turn. */
    Http2Headers request() {
        RequestContext context = new RequestContext(client, requestHead());
        chain.onRequest(context, false);
        chain.onData(context, body.retainedDuplicate(), true);
        loop.turn();
        backend.answer(responseHead(), body.retainedDuplicate());
        loop.turn();
        return client.taken();
    }

    /** What {@link #request()} makes for itself and the proxy is not to blame for. */
    int inputs() {
        ByteBuf in = body.retainedDuplicate();
        ByteBuf out = body.retainedDuplicate();
        int sum = requestHead().size() + responseHead().size() + in.readableBytes() + out.readableBytes();
        in.release();
        out.release();
        return sum;
    }

    @Override
    public void close() {
        chain.close();
        metrics.close();
        body.release();
    }

    private static final class Names {
        static final AsciiString CONTENT_TYPE = new AsciiString("content-type");
        static final AsciiString CONTENT_LENGTH = new AsciiString("content-length");
        static final AsciiString ACCEPT = new AsciiString("accept");
        static final AsciiString ANY = new AsciiString("*/*");
        static final AsciiString USER_AGENT = new AsciiString("user-agent");
        static final AsciiString AGENT = new AsciiString("h2load nghttp2/1.52.0");
        static final AsciiString OK = new AsciiString("200");
        static final AsciiString SERVER = new AsciiString("server");
        static final AsciiString UVICORN = new AsciiString("uvicorn");
        static final AsciiString DATE = new AsciiString("date");
        static final AsciiString NOW = new AsciiString("Mon, 30 Nov 2026 16:00:00 GMT");
    }

    /** An event loop's tasks, in a queue like Netty's. */
    private static final class Loop implements Executor {

        private final Queue<Runnable> tasks = PlatformDependent.newMpscQueue();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        void turn() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }
    }

    private final class Client implements DownstreamExchange {

        private @Nullable Http2Headers head;
        private boolean ended;

        Http2Headers taken() {
            Http2Headers answer = head;
            if (answer == null || !ended) {
                throw new IllegalStateException("answer: none (expected: a whole one)");
            }
            head = null;
            ended = false;
            return answer;
        }

        @Override
        public Executor executor() {
            return loop;
        }

        @Override
        public String protocol() {
            return "HTTP/2";
        }

        @Override
        public String peer() {
            return "127.0.0.1";
        }

        @Override
        public boolean secure() {
            return false;
        }

        @Override
        public void informational(Http2Headers sent) {
            throw new IllegalStateException("1xx: " + sent);
        }

        @Override
        public void headers(Http2Headers sent, boolean last) {
            head = sent;
        }

        @Override
        public void data(ByteBuf data, boolean last) {
            data.release();
            ended = last;
        }

        @Override
        public void trailers(Http2Headers sent) {
            throw new IllegalStateException("trailers: " + sent);
        }

        @Override
        public void reset(ResetReason reason) {
            throw new IllegalStateException("reset: " + reason);
        }

        @Override
        public boolean writable() {
            return true;
        }

        @Override
        public void consumed(int bytes) {
            // No window here.
        }

        @Override
        public void expandWindow() {
            // No window here.
        }
    }

    /** One connection that is always there, and its one exchange. */
    private static final class Backend implements UpstreamConnector, UpstreamExchange {

        private @Nullable RequestContext context;
        private @Nullable UpstreamListener listener;
        private int received;

        @Override
        public UpstreamExchange open(Endpoint endpoint, RequestContext request, UpstreamListener to) {
            context = request;
            listener = to;
            to.onConnected(request, this);
            return this;
        }

        void answer(Http2Headers head, ByteBuf data) {
            if (listener == null || context == null || received != 500) {
                throw new IllegalStateException("request: " + received + " bytes (expected: 500)");
            }
            received = 0;
            listener.onHeaders(context, head, false);
            listener.onData(context, data, true);
        }

        @Override
        public void headers(Http2Headers head, boolean last) {
            // Encoding is the codec's.
        }

        @Override
        public void data(ByteBuf data, boolean last) {
            received += data.readableBytes();
            data.release();
        }

        @Override
        public void trailers(Http2Headers trailers) {
            throw new IllegalStateException("trailers: " + trailers);
        }

        @Override
        public boolean writable() {
            return true;
        }

        @Override
        public void readable(boolean on) {
            // Everything comes at once.
        }

        @Override
        public void abort() {
            throw new IllegalStateException("aborted");
        }
    }
}
