package io.penstock.proxy.endpoint;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.ReadOnlyHttpHeaders;
import io.netty.util.concurrent.Future;
import io.penstock.flow.EngineSample;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Scrapes one endpoint, one scrape at a time, on one kept connection. Everything but {@link #request} runs on the scraper's event loop.
 *
 * <p>A scrape starts by marking the endpoint's in-flight count, and asks for the page only {@link #SETTLE} later: requests that were
 * dispatched just before the mark are at the engine by then, so the page cannot miss what the count leaves out. A scrape that fails is
 * followed by longer and longer pauses, up to {@link #LONGEST_PAUSE}, so that a server that renders slowly is not asked all the time.
 */
final class Poller implements SampleSource {

    /** From the mark to the question. */
    static final Duration SETTLE = Duration.ofMillis(2);
    /** Between the starts of two scrapes that were asked for, and the shortest pause between any two. */
    static final Duration ON_DEMAND = Duration.ofMillis(10);
    /** The longest pause after failures, where the interval is not longer. */
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Endpoint endpoint;
    private final Scraping scraping;
    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final AtomicBoolean requested = new AtomicBoolean();

    private PrometheusText text;
    private @Nullable Channel channel;
    private @Nullable Future<?> next;
    private @Nullable Future<?> step;
    private @Nullable Future<?> deadline;
    private boolean polling;
    private boolean retried;
    private boolean closed;
    private int failures;
    private int bytes;
    private long startedAt;
    private InFlight.Window mark;

    Poller(Endpoint endpoint, Scraping scraping, EventLoop loop) {
        this.endpoint = endpoint;
        this.scraping = scraping;
        this.loop = loop;
        this.bootstrap = scraping.bootstrap(loop).handler(new ScrapeInitializer(this)).remoteAddress(endpoint.address());
        this.text = new PrometheusText(EngineMetrics.of(endpoint.spec().labels()));
        this.mark = endpoint.counts().mark();
    }

    void start() {
        endpoint.sampledBy(this);
        poll();
    }

    void close() {
        closed = true;
        endpoint.sampledBy(SampleSource.NONE);
        stopTimers();
        cancel(next);
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    /** Called by the drainer at each decision while a gate is closed: one flag, until the loop has looked at it. */
    @Override
    public void request() {
        if (requested.get() || !requested.compareAndSet(false, true)) {
            return;
        }
        try {
            loop.execute(this::onRequest);
        } catch (RejectedExecutionException ignored) {
            // the scraper has been closed
        }
    }

    private void onRequest() {
        if (closed || polling || failures > 0) {
            // A running scrape signals when it ends, and then the gate asks again if it must; a failing one has its own pace.
            requested.set(false);
            return;
        }
        scheduleNext(Math.max(0, startedAt + ON_DEMAND.toNanos() - scraping.now()));
    }

    private void scheduleNext(long nanos) {
        cancel(next);
        next = loop.schedule(this::poll, nanos, TimeUnit.NANOSECONDS);
    }

    private void poll() {
        if (closed) {
            return;
        }
        requested.set(false);
        polling = true;
        retried = false;
        startedAt = scraping.now();
        mark = endpoint.counts().mark();
        EngineMetrics engine = EngineMetrics.of(endpoint.spec().labels());
        if (text.engine() != engine) {
            text = new PrometheusText(engine);
        }
        deadline = loop.schedule(() -> failed("no answer in time"), scraping.settings().timeout().toNanos(), TimeUnit.NANOSECONDS);
        step = loop.schedule(this::ask, SETTLE.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void ask() {
        text.reset();
        bytes = 0;
        Channel kept = channel;
        if (kept != null && kept.isActive()) {
            send(kept);
            return;
        }
        ChannelFuture connecting = bootstrap.connect();
        if (connecting.cause() != null) {
            // No file descriptor, or no address: there is no channel, and no event loop that would tell of it.
            failed("no connection");
            return;
        }
        channel = connecting.channel();
        connecting.addListener(done -> connected(connecting));
    }

    private void connected(ChannelFuture connecting) {
        Channel connection = connecting.channel();
        if (!awaits(connection)) {
            connection.close();
        } else if (connecting.isSuccess()) {
            send(connection);
        } else {
            failed("no connection");
        }
    }

    private void send(Channel connection) {
        connection.writeAndFlush(scraping.question(endpoint.spec().authority()));
    }

    /** Whether a scrape waits for an answer on this connection. */
    boolean awaits(Channel connection) {
        return polling && connection == channel;
    }

    /** A piece of the page. */
    void page(ByteBuf piece, boolean last, boolean keepAlive) {
        bytes += piece.readableBytes();
        if (bytes > scraping.settings().maxBytes()) {
            failed("more than " + scraping.settings().maxBytes() + " bytes");
            return;
        }
        text.feed(piece);
        if (last) {
            complete(keepAlive);
        }
    }

    private void complete(boolean keepAlive) {
        text.finish();
        long now = scraping.now();
        polling = false;
        failures = 0;
        stopTimers();
        if (!keepAlive) {
            drop();
        }
        boolean published = publish(now);
        // A page that takes longer than the interval still leaves the engine a pause.
        scheduleNext(Math.max(ON_DEMAND.toNanos(), startedAt + jittered(scraping.settings().interval().toNanos()) - now));
        if (published) {
            scraping.events().sampled(endpoint, now - startedAt);
            scraping.signal();
        }
    }

    private boolean publish(long now) {
        for (int field = 0; field < EngineMetrics.FIELDS; field++) {
            if (!text.has(field)) {
                scraping.events().extractFailed(endpoint, text.engine().family(field));
            }
        }
        if (!text.has(EngineMetrics.WAITING) || !text.has(EngineMetrics.KV_USAGE)) {
            // Half a sample would pass for a fresh one. Without it the endpoint turns stale, which closes its gate (case MET-01).
            return false;
        }
        EngineSample old = endpoint.sample();
        int running = old == null ? 0 : old.running();
        if (text.has(EngineMetrics.RUNNING)) {
            running = whole(text.value(EngineMetrics.RUNNING));
        }
        endpoint.counts().publish(mark,
                new EngineSample(now, whole(text.value(EngineMetrics.WAITING)), running, text.value(EngineMetrics.KV_USAGE)));
        return true;
    }

    /** Up, so that a fraction of a request is never nothing; the cast ends at the largest int. */
    private static int whole(double count) {
        return (int) Math.ceil(count);
    }

    /** The scrape is over without a page; its connection is not used again. */
    void failed(String reason) {
        polling = false;
        failures++;
        stopTimers();
        drop();
        scraping.events().pollFailed(endpoint, reason);
        long interval = scraping.settings().interval().toNanos();
        long pause = Math.min(LONGEST_PAUSE.toNanos(), interval << Math.min(failures - 1, 5));
        scheduleNext(jittered(Math.max(interval, pause)));
    }

    /** A connection has gone. One that was kept may have gone just as it was asked: then a new one is tried, once. */
    void lost(Channel connection, boolean answeredBefore) {
        if (connection != channel) {
            return;
        }
        channel = null;
        if (!polling) {
            return;
        }
        boolean answering = bytes > 0;
        if (answeredBefore && !answering && !retried && step != null && step.isDone()) {
            retried = true;
            ask();
        } else if (step == null || step.isDone()) {
            failed("connection closed");
        }
    }

    private void drop() {
        Channel connection = channel;
        channel = null;
        if (connection != null) {
            connection.close();
        }
    }

    private void stopTimers() {
        cancel(step);
        cancel(deadline);
    }

    private static void cancel(@Nullable Future<?> future) {
        if (future != null) {
            future.cancel(false);
        }
    }

    /** Within a tenth, so that a fleet's scrapes do not fall into step. */
    private static long jittered(long nanos) {
        return (long) (nanos * (0.9 + ThreadLocalRandom.current().nextDouble() * 0.2));
    }

    /** What all pollers share: settings, time, and where news goes. */
    interface Scraping {

        ScrapeSettings settings();

        ScrapeEvents events();

        long now();

        /** Flow control is told that there is a new sample. */
        void signal();

        Bootstrap bootstrap(EventLoop loop);

        /** The request for the page. */
        default DefaultFullHttpRequest question(String authority) {
            HttpHeaders headers = new ReadOnlyHttpHeaders(false, "host", authority, "accept", "text/plain;version=0.0.4", "user-agent",
                    "penstock");
            return new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/metrics", Unpooled.EMPTY_BUFFER, headers,
                    EmptyHttpHeaders.INSTANCE);
        }
    }
}
