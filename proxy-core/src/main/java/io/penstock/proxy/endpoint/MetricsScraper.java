package io.penstock.proxy.endpoint;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.penstock.proxy.config.MetricsSettings;
import io.penstock.proxy.net.ClientTls;
import io.penstock.proxy.net.Transport;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every endpoint's sample fresh: one {@link Poller} for each member of the pool, all on one event loop of the scraper's own, so that
 * a slow, large or hostile page never holds up a request. Give it to {@link EndpointPool#listen}. Any thread may call it.
 */
public final class MetricsScraper implements Consumer<PoolChange>, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MetricsScraper.class);
    private static final long STOP_SECONDS = 5;

    private final Shared shared;
    private final EventLoopGroup group;
    private final EventLoop loop;
    /** Event loop only. */
    private final Map<Endpoint, Poller> pollers = new HashMap<>();
    private boolean stopped;
    private boolean closed;

    /**
     * Starts the event loop; nothing is scraped before the pool tells of endpoints.
     *
     * @param clock monotonic nanoseconds, the one that detectors are asked with
     * @param signal run after each new sample, on the scraper's loop
     * @throws SSLException if certificates or keys cannot be used; then nothing has been started
     */
    public MetricsScraper(Transport transport, ScrapeSettings settings, LongSupplier clock, Runnable signal, ScrapeEvents events)
            throws SSLException {
        MetricsSettings.Tls tls = settings.metrics().tls();
        SslContext context = tls == null ? null : ClientTls.context(tls.skipVerify(), tls.ca(), tls.certificate(), tls.key());
        this.shared = new Shared(transport, settings, clock, signal, events, context, pollers);
        this.group = transport.newGroup(1, "penstock-scraper");
        this.loop = group.next();
    }

    @Override
    public void accept(PoolChange change) {
        try {
            loop.execute(() -> apply(change));
        } catch (RejectedExecutionException ignored) {
            // closed
        }
    }

    private void apply(PoolChange change) {
        if (stopped) {
            return;
        }
        for (Endpoint endpoint : change.removed()) {
            Poller poller = pollers.remove(endpoint);
            if (poller != null) {
                poller.close();
            }
        }
        for (Endpoint endpoint : change.added()) {
            Poller poller = new Poller(endpoint, shared, loop);
            Poller earlier = pollers.put(endpoint, poller);
            if (earlier != null) {
                earlier.close();
            }
            poller.start();
        }
    }

    /** Ends every scrape, then the event loop; returns when both have ended. Not to be called on an event loop. */
    @Override
    public synchronized void close() {
        try {
            loop.execute(this::stop);
        } catch (RejectedExecutionException ignored) {
            // closed before
        }
        boolean ended = group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            LOG.warn("The scraper did not end within {} s", STOP_SECONDS);
        }
        if (!closed) {
            closed = true;
            // Connections that are still open hold it for themselves.
            ReferenceCountUtil.release(shared.tls());
        }
    }

    private void stop() {
        stopped = true;
        pollers.values().forEach(Poller::close);
        pollers.clear();
    }

    private record Shared(Transport transport, ScrapeSettings settings, LongSupplier clock, Runnable onSample, ScrapeEvents events,
            @Nullable SslContext tls, Map<Endpoint, Poller> pollers) implements Poller.Scraping {

        @Override
        public int endpoints() {
            return pollers.size();
        }

        @Override
        public long now() {
            return clock.getAsLong();
        }

        @Override
        public void signal() {
            try {
                onSample.run();
            } catch (RuntimeException e) {
                // Scraping must go on, or every gate closes.
                LOG.error("Nobody could be told of a new sample", e);
            }
        }

        @Override
        public Bootstrap bootstrap(EventLoop loop) {
            return new Bootstrap().group(loop).channel(transport.client()).disableResolver().option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, settings.timeout().toMillis()));
        }
    }
}
