package io.penstock.proxy;

import io.penstock.flow.BandView;
import io.penstock.flow.EngineSample;
import io.penstock.flow.FlowController;
import io.penstock.flow.SaturationView;
import io.penstock.proxy.admin.AdminView;
import io.penstock.proxy.admin.EndpointRow;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointPool;
import io.penstock.proxy.metrics.MetricsExport;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What operators see of the running parts. Any thread. */
final class AdminBridge implements AdminView {

    private final FlowController flow;
    private final EndpointPool pool;
    private final MetricsExport metrics;
    private final BooleanSupplier draining;
    private final Runnable drain;
    private final LongSupplier clock;

    AdminBridge(FlowController flow, EndpointPool pool, MetricsExport metrics, BooleanSupplier draining, Runnable drain,
            LongSupplier nanoClock) {
        this.flow = flow;
        this.pool = pool;
        this.metrics = metrics;
        this.draining = draining;
        this.drain = drain;
        this.clock = nanoClock;
    }

    @Override
    public boolean ready() {
        return pool.synced() && !draining.getAsBoolean();
    }

    @Override
    public boolean live() {
        return true;
    }

    @Override
    public List<BandView> bands() {
        return flow.bands();
    }

    @Override
    public SaturationView saturation() {
        return flow.saturation();
    }

    @Override
    public List<EndpointRow> endpoints() {
        return rows(pool, clock.getAsLong());
    }

    /** The pool's members as rows. */
    static List<EndpointRow> rows(EndpointPool pool, long now) {
        return pool.members().stream().map(endpoint -> row(endpoint, now)).toList();
    }

    private static EndpointRow row(Endpoint endpoint, long now) {
        EngineSample sample = endpoint.sample();
        return new EndpointRow(endpoint.name(), endpoint.spec().authority(), endpoint.spec().labels(), endpoint.spec().role(),
                endpoint.inFlightRequests(), endpoint.inFlightTokens(),
                sample == null ? null : Math.max(0, TimeUnit.NANOSECONDS.toMillis(now - sample.atNanos())),
                sample == null ? null : sample.waiting(), sample == null || sample.running() < 0 ? null : sample.running(),
                sample == null ? null : sample.kvCacheUsage(), endpoint.health(now).name().toLowerCase(Locale.ROOT), endpoint.engine());
    }

    @Override
    public void drain() {
        drain.run();
    }

    @Override
    public String scrape(@Nullable String accept, OutputStream out) throws IOException {
        return metrics.scrape(accept, out);
    }
}
