package io.penstock.proxy.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a configured list of endpoints into the pool. Host names are resolved here, on a thread of its own and again every
 * {@link #REFRESH}, so that no event loop ever waits for a name server; a name that cannot be resolved keeps its last address, and one that
 * never could stays in the pool without one: connects to it fail. Any thread.
 */
public final class StaticEndpoints implements AutoCloseable {

    /** Between two looks at the names: what a name server takes as changed is changed here within two seconds (case DSC-03). */
    public static final Duration REFRESH = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(StaticEndpoints.class);

    private final EndpointPool pool;
    private final Resolver resolver;
    private final Map<String, String> lastAddress = new HashMap<>();
    /** Names that could never be resolved: said once, however often they are looked up. */
    private final Set<String> unknown = new HashSet<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread own = new Thread(task, "penstock-names");
        own.setDaemon(true);
        return own;
    });
    private List<EndpointSpec> configured;

    /** Finds the addresses of a host, at least one; a literal is its own address. */
    @FunctionalInterface
    interface Resolver {
        List<String> addressesOf(String host) throws UnknownHostException;
    }

    StaticEndpoints(List<EndpointSpec> configured, EndpointPool pool, Resolver resolver) {
        this.configured = List.copyOf(configured);
        this.pool = pool;
        this.resolver = resolver;
    }

    /** Fills the pool before it returns, and keeps names fresh until it is closed. */
    public static StaticEndpoints start(List<EndpointSpec> configured, EndpointPool pool) {
        StaticEndpoints endpoints = new StaticEndpoints(configured, pool,
                host -> Arrays.stream(InetAddress.getAllByName(host)).map(InetAddress::getHostAddress).toList());
        endpoints.refresh();
        endpoints.thread.scheduleWithFixedDelay(endpoints::refreshGuarded, REFRESH.toNanos(), REFRESH.toNanos(), TimeUnit.NANOSECONDS);
        return endpoints;
    }

    /** Makes these the configured ones. */
    public synchronized void replace(List<EndpointSpec> specs) {
        configured = List.copyOf(specs);
        refresh();
    }

    /** An exception would end the schedule, and with it every later look. */
    private void refreshGuarded() {
        try {
            refresh();
        } catch (RuntimeException e) {
            LOG.error("The endpoints' names could not be looked up", e);
        }
    }

    synchronized void refresh() {
        Function<EndpointSpec, EndpointSpec> resolve = this::resolve;
        pool.replace(configured.stream().map(resolve).toList());
        Set<String> hosts = configured.stream().map(EndpointSpec::host).collect(Collectors.toSet());
        lastAddress.keySet().retainAll(hosts);
        unknown.retainAll(hosts);
    }

    private EndpointSpec resolve(EndpointSpec spec) {
        String known = lastAddress.get(spec.host());
        try {
            List<String> all = resolver.addressesOf(spec.host());
            // A server that has not moved stays the same endpoint, in whatever order its name's addresses come.
            String found = known != null && all.contains(known) ? known : all.get(0);
            lastAddress.put(spec.host(), found);
            unknown.remove(spec.host());
            return at(spec, found);
        } catch (UnknownHostException e) {
            if (known != null) {
                return at(spec, known);
            }
            if (unknown.add(spec.host())) {
                LOG.warn("{}: host {} cannot be resolved", spec.id(), spec.host());
            }
            return spec;
        }
    }

    private static EndpointSpec at(EndpointSpec spec, String address) {
        return address.equals(spec.host()) ? spec : new EndpointSpec(spec.namespace(), spec.name(), address, spec.port(), spec.labels());
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
