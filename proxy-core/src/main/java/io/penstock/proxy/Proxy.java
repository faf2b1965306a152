package io.penstock.proxy;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.penstock.flow.BandView;
import io.penstock.flow.FlowController;
import io.penstock.proxy.accesslog.AccessLog;
import io.penstock.proxy.admin.AdminServer;
import io.penstock.proxy.admin.EndpointRow;
import io.penstock.proxy.admin.MetricsServer;
import io.penstock.proxy.config.MetricsSettings;
import io.penstock.proxy.config.PickerSettings;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.downstream.ListenException;
import io.penstock.proxy.downstream.Listeners;
import io.penstock.proxy.endpoint.DiscoveryException;
import io.penstock.proxy.endpoint.EndpointPool;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.endpoint.FileDiscovery;
import io.penstock.proxy.endpoint.MetricsScraper;
import io.penstock.proxy.endpoint.PoolChange;
import io.penstock.proxy.endpoint.ScrapeSettings;
import io.penstock.proxy.endpoint.StaticEndpoints;
import io.penstock.proxy.handler.BodyCollection;
import io.penstock.proxy.handler.ChainServices;
import io.penstock.proxy.handler.RequestChain;
import io.penstock.proxy.metrics.MeterFlowEvents;
import io.penstock.proxy.metrics.MetricsExport;
import io.penstock.proxy.metrics.PoolMeters;
import io.penstock.proxy.metrics.ProgramMeters;
import io.penstock.proxy.metrics.ProxyMeters;
import io.penstock.proxy.net.RateLimitedLog;
import io.penstock.proxy.request.DownstreamListener;
import io.penstock.proxy.request.FlowResolver;
import io.penstock.proxy.upstream.BackendConnector;
import io.penstock.proxy.upstream.ConnectionLimit;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The composition root: makes every part, says what knows what, starts them in order and closes them in the opposite order.
 * {@link #start} and {@link #close} belong to one thread that is no event loop; the rest may be called from any.
 */
public final class Proxy implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);
    private static final long TICK_MILLIS = 10;
    private static final long DROP_LOG_SECONDS = 1;

    /** The settings in use; a reload replaces them. */
    private volatile Settings settings;
    private final ProxyOptions options;
    private final LongSupplier clock = System::nanoTime;
    private final Closing closing;
    private final AtomicReference<Map<String, Integer>> objectives = new AtomicReference<>(Map.of());
    private final ConnectionLimit connectionLimit;

    private final MetricsExport metrics;
    private final ProxyMeters meters;
    private final MeterFlowEvents flowEvents;
    private final EndpointPool pool;
    private @Nullable StaticEndpoints staticEndpoints;
    private final RateLimitedLog warnings = new RateLimitedLog(LOG, clock);
    private final FlowSignal signal = new FlowSignal();
    private final FlowParts parts;
    private final @Nullable BodyCollection collection;
    private final FlowController flow;
    private final EventLoopGroup group;
    private final AccessLog accessLog;
    private final Listeners listeners;
    private final Drain drain;
    private final AdminServer admin;
    private final MetricsServer metricsServer;

    private Proxy(Settings settings, ProxyOptions options, Closing closing) throws IOException, DiscoveryException {
        this.settings = settings;
        this.options = options;
        this.closing = closing;
        this.connectionLimit = new ConnectionLimit(settings.proxy().upstream().maxConnectionsPerEndpoint());
        ProxyConfig config = settings.proxy();
        metrics = closing.add(new MetricsExport(config.compat().legacyMetricNames()));
        meters = new ProxyMeters(metrics);
        flowEvents = new MeterFlowEvents(metrics, options.pool(), clock);
        accessLog = closing.add(AccessLog.open(config.accessLog(), clock));
        meters.accessLogDropped(accessLog::dropped);

        pool = new EndpointPool(clock);
        PoolMeters poolMeters = new PoolMeters(metrics, options.pool(), () -> AdminBridge.rows(pool, clock.getAsLong()),
                options.metricsStaleness());
        parts = new FlowParts(settings.picker(), new FlowParts.Surroundings(pool, clock, flowEvents,
                new DetectorSeries(poolMeters, flowEvents), signal, options, BackendConnector.maxRequestsPerEndpoint(config.upstream()),
                meters::denied));
        collection = TokenCounting.collection(settings, meters);
        flow = parts.flow();
        signal.to(flow);
        new ProgramMeters(metrics, parts::programs);
        pool.listen(change -> signal.run());

        group = options.transport().newGroup(options.loops(), "penstock-loop");
        closing.add(() -> group.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS));
        group.forEach(flow::register);
        startScraping(poolMeters);
        discover();
        publishObjectives(settings.objectives());

        listeners = closing.add(Listeners.bind(config, options.transport(), group, this::chain, EventBridges.connections(meters), clock));
        drain = new Drain(config.drain(), flow, listeners, clock);
        closing.add(drain::stop);
        AdminBridge view = new AdminBridge(flow, pool, metrics, drain::started, drain::start, clock);
        // The JDK's server reads its limits once, when its first port opens.
        AdminServer.limits().forEach((name, value) -> System.getProperties().putIfAbsent(name, value));
        admin = closing.add(AdminServer.start(socketAddress(config.admin()), view));
        metricsServer = closing.add(MetricsServer.start(socketAddress(config.metrics()), view));
        startTicks();
    }

    /**
     * Starts a proxy.
     *
     * @throws StartException if a port is taken, a file cannot be read, or an endpoints file has problems; nothing is left running
     */
    public static Proxy start(Settings settings, ProxyOptions options) throws StartException {
        Closing halfway = new Closing();
        try {
            return new Proxy(settings, options, halfway);
        } catch (ListenException | IOException e) {
            halfway.close();
            throw new StartException(String.valueOf(e.getMessage()), e);
        } catch (DiscoveryException e) {
            halfway.close();
            throw new StartException(String.join(System.lineSeparator(), e.problems()), e);
        } catch (RuntimeException e) {
            halfway.close();
            throw e;
        }
    }

    private void startScraping(PoolMeters poolMeters) throws SSLException {
        MetricsSettings wanted = settings.picker().metrics();
        if (wanted == null) {
            return;
        }
        MetricsScraper scraper = closing.add(new MetricsScraper(options.transport(), ScrapeSettings.of(wanted), clock, signal,
                new ScrapeReport(poolMeters, clock, LOG)));
        pool.listen(scraper);
    }

    private void discover() throws DiscoveryException {
        PickerSettings.Discovery discovery = settings.picker().discovery();
        if (discovery == null) {
            staticEndpoints = closing.add(StaticEndpoints.start(specs(settings.proxy()), pool));
        } else {
            closing.add(FileDiscovery.start(discovery.path(), discovery.watchFile(), pool));
        }
    }

    private static List<EndpointSpec> specs(ProxyConfig config) {
        return config.endpoints().stream()
                .map(one -> EndpointSpec.of(one.name(), one.address().host(), one.address().port(), one.labels()))
                .toList();
    }

    /** The table first, then the bands: a request in between falls back to band 0 (contract section 2). */
    private void publishObjectives(Map<String, Integer> table) {
        objectives.set(table);
        flow.provision(Set.copyOf(table.values()));
    }

    private DownstreamListener chain(EventLoop loop) {
        ProxyConfig config = settings.proxy();
        BackendConnector connector = closing.add(BackendConnector.create(loop, options.transport(), config.upstream(), connectionLimit,
                clock, EventBridges.upstream(meters)));
        pool.listen(change -> retire(connector, change));
        ChainServices services = new ChainServices(flow, settings.picker().flowControlEnabled() ? flow.capacity() : null,
                config.compat().headroomShortName(), failure -> LOG.debug("A band's counts could not be read", failure),
                parts::pickUncounted, new FlowResolver(objectives::get, parts::sessionHeaders, meters::badTtl), parts.admitters(),
                parts::finished, config.timeouts(), config.limits().maxRequestBodyBytes(), collection,
                new RequestLog(meters, accessLog, clock), EventBridges.forward(meters, warnings), clock);
        return closing.add(RequestChain.build(services, connector, loop));
    }

    private static void retire(BackendConnector connector, PoolChange change) {
        change.removed().forEach(connector::remove);
    }

    private void startTicks() {
        EventExecutor loop = group.next();
        loop.scheduleAtFixedRate(flow::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
        loop.scheduleAtFixedRate(flowEvents::logDrops, DROP_LOG_SECONDS, DROP_LOG_SECONDS, TimeUnit.SECONDS);
    }

    private static InetSocketAddress socketAddress(ProxyConfig.HostPort address) {
        return new InetSocketAddress(address.host(), address.port());
    }

    /** Where a listener is bound. */
    public InetSocketAddress address(String listener) {
        return listeners.address(listener);
    }

    /** Where every listener is bound, by name. */
    public Map<String, InetSocketAddress> addresses() {
        return listeners.addresses();
    }

    public InetSocketAddress adminAddress() {
        return admin.address();
    }

    public InetSocketAddress metricsAddress() {
        return metricsServer.address();
    }

    /** All bands, highest first. */
    public List<BandView> bands() {
        return flow.bands();
    }

    /** The pool's members. */
    public List<EndpointRow> endpoints() {
        return AdminBridge.rows(pool, clock.getAsLong());
    }

    /** Requests whose response has not gone out completely. */
    public int openRequests() {
        return listeners.openRequests();
    }

    /** Open client connections. */
    public int openConnections() {
        return listeners.openConnections();
    }

    /** Starts the drain; a second call changes nothing. */
    public void drain() {
        drain.start();
    }

    /** Whether a drain has come to its end. */
    public boolean drained() {
        return drain.ended();
    }

    /** Waits until somebody has started a drain and it has come to its end. */
    public void awaitDrained() throws InterruptedException {
        drain.await();
    }

    /**
     * Takes new settings over without a restart, as far as that goes: all of flow control, admitters, objectives and static endpoints. What
     * waits keeps its place. Anything else that differs is named and then nothing is taken over, so that a change applies whole or not at
     * all.
     *
     * @return what needs a restart; empty when everything was applied
     */
    public synchronized List<String> reload(Settings next) {
        List<String> restart = Reload.needsRestart(settings, next);
        if (restart.isEmpty()) {
            parts.reload(next.picker());
            if (staticEndpoints != null) {
                staticEndpoints.replace(specs(next.proxy()));
            }
            publishObjectives(next.objectives());
            settings = next;
        }
        meters.reloaded(restart.isEmpty() ? ProxyMeters.Reload.APPLIED : ProxyMeters.Reload.NEEDS_RESTART);
        return restart;
    }

    /** A changed configuration has errors and is not used; what runs goes on as it is. */
    public void reloadRefused() {
        meters.reloaded(ProxyMeters.Reload.REFUSED);
    }

    @Override
    public void close() {
        flow.shutdown();
        closing.close();
        flowEvents.logDrops();
    }
}
