package io.penstock.proxy.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.UpstreamFault;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The proxy's own families, {@code penstock_…}; docs/metrics.md is their contract. Every method may be called from any thread, takes a few
 * additions to cells of the calling event loop and allocates nothing but at first sight of a label.
 */
public final class ProxyMeters {

    private final MeterRegistry registry;
    private final RequestMeters http1;
    private final RequestMeters http2;
    private final Counter connections;
    private final Counter connectionsRefused;
    private final LongAdder connectionsActive = new LongAdder();
    private final Counter upstreamConnections;
    private final LongAdder upstreamActive = new LongAdder();
    private final Timings upstreamConnect = new Timings(Buckets.CONNECT);
    private final Map<UpstreamFault.Kind, Counter> faults = new EnumMap<>(UpstreamFault.Kind.class);
    private final Map<Reload, Counter> reloads = new EnumMap<>(Reload.class);
    private final Counter retries;
    private final Counter badTtl;
    private final Counter unreadablePrompts;
    private final Counter bodiesRefused;
    private final Timings ownTime = new Timings(Buckets.OWN);

    public ProxyMeters(MetricsExport export) {
        registry = export.meters();
        http1 = new RequestMeters("HTTP/1.1", registry);
        http2 = new RequestMeters("HTTP/2", registry);
        connections = counter("penstock_downstream_connections_total", "Client connections accepted.");
        connectionsRefused = counter("penstock_downstream_connections_refused_total", "Client connections over the limit, closed at once.");
        gauge("penstock_downstream_connections_active", "Client connections that are open.", connectionsActive::sum);
        upstreamConnections = counter("penstock_upstream_connections_total", "Connections to backends that were established.");
        gauge("penstock_upstream_connections_active", "Connections to backends that are open, idle ones too.", upstreamActive::sum);
        for (UpstreamFault.Kind kind : UpstreamFault.Kind.values()) {
            faults.put(kind, Counter.builder("penstock_upstream_faults_total")
                    .description("Exchanges with a backend that failed, by kind.")
                    .tag("kind", kind.name().toLowerCase(Locale.ROOT))
                    .register(registry));
        }
        for (Reload result : Reload.values()) {
            reloads.put(result, Counter.builder("penstock_config_reloads_total")
                    .description("Changed configuration files, by what came of them.")
                    .tag("result", result.name().toLowerCase(Locale.ROOT))
                    .register(registry));
        }
        retries = counter("penstock_upstream_retries_total", "Requests sent again to a backend.");
        badTtl = counter("penstock_ignored_ttl_total", "Queue-wait budgets of clients that could not be read.");
        unreadablePrompts = counter("penstock_unreadable_prompts_total", "Request bodies that could not be read.");
        bodiesRefused = counter("penstock_refused_bodies_total", "Requests refused because too many body bytes were held.");
        export.collect(this::collect);
    }

    /** A client connection was accepted; {@link #connectionClosed()} follows, once. */
    public void connectionOpened() {
        connections.increment();
        connectionsActive.increment();
    }

    public void connectionClosed() {
        connectionsActive.decrement();
    }

    /** A client connection was over the limit; neither of the two others is called for it. */
    public void connectionRefused() {
        connectionsRefused.increment();
    }

    /**
     * A request's head is there; {@link #requestEnded} follows, once.
     *
     * @param protocol {@code HTTP/2} or {@code HTTP/1.1}
     */
    public void requestStarted(String protocol) {
        meters(protocol).started();
    }

    /**
     * A request is over.
     *
     * @param status as sent to the client, or 0 when no response head was
     * @param durationNanos from its head to its end
     * @param firstByteNanos from its head to the first byte of the response, or -1 when there was none
     */
    public void requestEnded(String protocol, int status, EndCause cause, long durationNanos, long firstByteNanos) {
        meters(protocol).ended(status, cause, durationNanos, firstByteNanos);
    }

    private RequestMeters meters(String protocol) {
        return protocol.equals("HTTP/2") ? http2 : http1;
    }

    /** A connection to a backend was established; {@link #upstreamClosed()} follows, once. */
    public void upstreamOpened(long connectNanos) {
        upstreamConnections.increment();
        upstreamActive.increment();
        upstreamConnect.record(connectNanos);
    }

    public void upstreamClosed() {
        upstreamActive.decrement();
    }

    public void upstreamFault(UpstreamFault.Kind kind) {
        Counter counter = faults.get(kind);
        if (counter != null) {
            counter.increment();
        }
    }

    /** A request goes to a backend for the second time. */
    public void retried() {
        retries.increment();
    }

    /** What the proxy itself needed from a request's last header to its dispatch, for a request that did not wait. */
    public void ownTime(long nanos) {
        ownTime.record(nanos);
    }

    /** A client broke its connection, or was cut off, for this reason. */
    public void connectionFault(String reason) {
        count("penstock_downstream_connection_faults_total", "Client connections, or requests on them, that were ended by the proxy.",
                "reason", reason);
    }

    /** A client was cut off for this kind of misuse. */
    public void connectionAbuse(String kind) {
        count("penstock_downstream_abuse_total", "Client connections that were cut off for legal frames in hostile numbers.", "kind", kind);
    }

    /** A request was answered before any handler saw it, since it could not be read. */
    public void refusedBeforeHandlers(int status) {
        count("penstock_downstream_malformed_requests_total",
                "Requests that were refused before any handler, since they could not be read.", "status", Integer.toString(status));
    }

    /** A timer ended a request. */
    public void timedOut(String timer) {
        count("penstock_timeouts_total", "Requests that a timer ended.", "timer", timer);
    }

    /** What came of a changed configuration file. */
    public enum Reload {
        APPLIED,
        /** It has errors. */
        REFUSED,
        /** It changes what cannot change while the process runs. */
        NEEDS_RESTART
    }

    /** A configuration file has changed. */
    public void reloaded(Reload result) {
        Counter counter = reloads.get(result);
        if (counter != null) {
            counter.increment();
        }
    }

    /** An admitter turned a request away after its admission. */
    public void denied(String admitter) {
        count("penstock_admitter_denials_total", "Admitted requests that an admitter turned away, by plugin name.", "admitter", admitter);
    }

    /** A client's queue-wait budget could not be read and was ignored. */
    public void badTtl() {
        badTtl.increment();
    }

    /** Where the counter of lost access-log records is read. Called once, at start. */
    public void accessLogDropped(LongSupplier records) {
        FunctionCounter.builder("penstock_access_log_dropped_total", records, LongSupplier::getAsLong)
                .description("Access-log records that were lost because the log could not keep up or could not be written.")
                .register(registry);
    }

    /** Where the bytes of bodies that are being collected are read. Called once, at start. */
    public void bufferedBodies(LongSupplier bytes) {
        gauge("penstock_buffered_body_bytes", "Bytes of request bodies that are held until they have gone out.", bytes);
    }

    /** A body could not be read, so it counts no tokens. */
    public void unreadablePrompt() {
        unreadablePrompts.increment();
    }

    /** A request was refused because the process held as many body bytes as it may. */
    public void bodyRefused() {
        bodiesRefused.increment();
    }

    private MetricSnapshots collect() {
        Families families = new Families();
        for (RequestMeters meters : new RequestMeters[] {http1, http2}) {
            Labels labels = Labels.of("protocol", meters.protocol());
            families.gauge("penstock_streams_open", "Requests that are not over.", meters.open(), labels);
            families.histogram("penstock_request_duration_seconds", "Time from a request's head to its end.", meters.duration, labels);
            families.histogram("penstock_request_first_byte_seconds", "Time from a request's head to the first byte of its response.",
                    meters.firstByte, labels);
        }
        families.histogram("penstock_upstream_connect_duration_seconds", "Time to establish a connection to a backend.", upstreamConnect,
                Labels.EMPTY);
        families.histogram("penstock_dispatch_own_time_seconds", "The proxy's own time from a request's last header to its dispatch, for "
                + "requests that did not wait.", ownTime, Labels.EMPTY);
        return families.snapshots();
    }

    private void count(String name, String help, String label, String value) {
        Counter.builder(name).description(help).tag(label, value).register(registry).increment();
    }

    private Counter counter(String name, String help) {
        return Counter.builder(name).description(help).register(registry);
    }

    private void gauge(String name, String help, LongSupplier value) {
        Gauge.builder(name, value::getAsLong).description(help).register(registry);
    }
}
