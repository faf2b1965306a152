package io.penstock.proxy.endpoint;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Future;
import io.penstock.flow.EngineSample;
import io.penstock.proxy.config.EngineConfig;
import io.penstock.proxy.endpoint.EngineMetrics.Use;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrapes one endpoint, one scrape at a time, on one kept connection. Everything but {@link #request} runs on the scraper's event loop.
 *
 * <p>A scrape starts by marking the endpoint's in-flight count, and asks for the page only {@link #SETTLE} later: requests that were
 * dispatched just before the mark are at the engine by then, so the page cannot miss what the count leaves out. A scrape that fails is
 * followed by longer and longer pauses, up to {@link #LONGEST_PAUSE}, so that a server that renders slowly is not asked all the time. So is
 * a page that takes long to read: the loop is everybody's, and no endpoint gets more than its part of one half of it.
 */
final class Poller implements SampleSource {

    /** From the mark to the question. */
    static final Duration SETTLE = Duration.ofMillis(2);
    /** Between the starts of two scrapes that were asked for, and the shortest pause between any two. */
    static final Duration ON_DEMAND = Duration.ofMillis(10);
    /** The longest pause after failures, where the interval is not longer. */
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    /** {@link EngineSample#running} of an engine that does not say. */
    static final int NOT_SAID = -1;

    /** Timers go off at multiples of this: those of many endpoints then wake the loop once. */
    private static final long GRID_NANOS = 1_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(Poller.class);
    /** The first scrapes of endpoints that come together are spread over this. */
    private static final Duration SPREAD = Duration.ofMillis(50);

    private final Endpoint endpoint;
    private final ScrapeTarget target;
    private final Scraping scraping;
    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final AtomicBoolean requested = new AtomicBoolean();

    private PrometheusText text;
    private @Nullable Channel channel;
    private @Nullable Future<?> next;
    private @Nullable Future<?> step;
    private boolean begun;
    private boolean polling;
    /** Somebody asked while a scrape was running, which may have started before what he wants to see. */
    private boolean again;
    private boolean retried;
    private boolean closed;
    private int failures;
    private int bytes;
    /** Nanoseconds that this page's pieces took to read. */
    private long work;
    private long startedAt;
    private long endedAt;
    private long nextAt;
    private long deadline;
    private boolean deadlineArmed;
    private InFlight.Window mark;

    Poller(Endpoint endpoint, Scraping scraping, EventLoop loop) {
        this.endpoint = endpoint;
        this.scraping = scraping;
        this.loop = loop;
        this.target = ScrapeTarget.of(endpoint, scraping.settings().metrics());
        this.bootstrap = scraping.bootstrap(loop).remoteAddress(target.address()).handler(
                new ScrapeInitializer(this, target, scraping.tls(), scraping.settings().timeout().toMillis()));
        this.text = new PrometheusText(engine());
        this.mark = endpoint.counts().mark();
    }

    void start() {
        endpoint.sampledBy(this);
        scheduleNext((long) (SPREAD.toNanos() * scraping.random()));
    }

    private EngineConfig engine() {
        return scraping.settings().metrics().engines().of(endpoint.spec().labels());
    }

    void close() {
        closed = true;
        endpoint.sampledBy(SampleSource.NONE);
        cancel(step);
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
        if (closed || failures > 0) {
            // A failing endpoint has its own pace.
            requested.set(false);
        } else if (polling) {
            again = true;
        } else {
            scheduleOnDemand();
        }
    }

    /** The flag stays up until the scrape starts, so that whoever asks in between is answered by it. */
    private void scheduleOnDemand() {
        if (!begun) {
            // The first scrape is on its way.
            return;
        }
        // A page that takes long to make costs its engine: that is never more than half of the time.
        long at = Math.max(startedAt + Math.max(ON_DEMAND.toNanos(), 2 * (endedAt - startedAt)), endedAt + fairPause());
        if (at - nextAt < 0) {
            scheduleNext(Math.max(0, at - scraping.now()));
        }
    }

    private void scheduleNext(long nanos) {
        cancel(next);
        nextAt = scraping.now() + nanos;
        next = in(nanos, this::poll);
    }

    /** Not before that time, and on the grid. */
    private Future<?> in(long nanos, Runnable task) {
        long past = Math.floorMod(scraping.now() + nanos, GRID_NANOS);
        return loop.schedule(task, past == 0 ? nanos : nanos + GRID_NANOS - past, TimeUnit.NANOSECONDS);
    }

    private void poll() {
        if (closed) {
            return;
        }
        try {
            start(scraping.now());
        } catch (RuntimeException e) {
            // Whatever it is: an endpoint that is scraped no more would look full until the next restart.
            LOG.error("The scrape of {} could not be started", endpoint, e);
            failed("internal error");
        }
    }

    private void start(long now) {
        // Before the mark: whoever finds the flag up from here on is in time for this scrape.
        requested.set(false);
        again = false;
        begun = true;
        polling = true;
        retried = false;
        startedAt = now;
        mark = endpoint.counts().mark();
        EngineConfig engine = engine();
        if (text.engine().config() != engine) {
            text = new PrometheusText(engine);
        }
        step = in(SETTLE.toNanos(), this::ask);
        long timeout = scraping.settings().timeout().toNanos();
        deadline = now + timeout;
        if (!deadlineArmed) {
            deadlineArmed = true;
            in(timeout, this::checkDeadline);
        }
    }

    /** One timer for many scrapes, since hardly any of them comes to it. */
    private void checkDeadline() {
        deadlineArmed = false;
        if (closed || !polling) {
            return;
        }
        long left = deadline - scraping.now();
        if (left <= 0) {
            failed("no answer in time");
        } else {
            deadlineArmed = true;
            in(left, this::checkDeadline);
        }
    }

    private void ask() {
        text.reset();
        bytes = 0;
        work = 0;
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
        connection.writeAndFlush(connection.alloc().buffer(target.question().length).writeBytes(target.question()));
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
        long before = scraping.now();
        text.feed(piece);
        work += scraping.now() - before;
        if (last) {
            complete(keepAlive);
        }
    }

    private void complete(boolean keepAlive) {
        text.finish();
        long now = scraping.now();
        polling = false;
        failures = 0;
        endedAt = now;
        cancel(step);
        if (!keepAlive) {
            drop();
        }
        // A page that takes longer than the interval still leaves the engine a pause.
        long pause = Math.max(ON_DEMAND.toNanos(), startedAt + jittered(scraping.settings().interval().toNanos()) - now);
        scheduleNext(Math.max(pause, fairPause()));
        if (again) {
            scheduleOnDemand();
        }
        if (publish(now)) {
            scraping.events().sampled(endpoint, now - startedAt);
            scraping.signal();
        }
    }

    private long fairPause() {
        return Math.min(LONGEST_PAUSE.toNanos(), 2 * work * scraping.endpoints());
    }

    /** What the engine has and the page lacks is not known: half a sample would pass for a fresh one (case MET-01). */
    private boolean publish(long now) {
        EngineMetrics engine = text.engine();
        PageValues values = text.values();
        for (int slot = 0; slot < engine.size(); slot++) {
            if (values.failed(slot)) {
                scraping.events().extractFailed(endpoint, engine.slot(slot).family());
            }
        }
        endpoint.describe(text.info());
        int waiting = engine.indexOf(Use.WAITING);
        int kvUsage = engine.indexOf(Use.KV_USAGE);
        boolean nothingToSay = waiting < 0 && kvUsage < 0;
        if (nothingToSay || waiting >= 0 && !values.has(waiting) || kvUsage >= 0 && !values.has(kvUsage)) {
            return false;
        }
        endpoint.counts().publish(mark, new EngineSample(now, waiting < 0 ? 0 : whole(values.value(waiting)), running(engine, values),
                kvUsage < 0 ? 0 : values.value(kvUsage)));
        return true;
    }

    /** It only bounds what has ended since, so the last known will do. */
    private int running(EngineMetrics engine, PageValues values) {
        int running = engine.indexOf(Use.RUNNING);
        EngineSample old = endpoint.sample();
        if (running < 0 || old == null && !values.has(running)) {
            return NOT_SAID;
        }
        return values.has(running) ? whole(values.value(running)) : old.running();
    }

    /** Up, so that a fraction of a request is never nothing; the cast ends at the largest int. */
    private static int whole(double count) {
        return (int) Math.ceil(count);
    }

    /** The scrape is over without a page; its connection is not used again. */
    void failed(String reason) {
        polling = false;
        requested.set(false);
        failures++;
        cancel(step);
        drop();
        long interval = scraping.settings().interval().toNanos();
        long pause = Math.min(LONGEST_PAUSE.toNanos(), interval << Math.min(failures - 1, 5));
        scheduleNext(jittered(Math.max(interval, pause)));
        scraping.events().pollFailed(endpoint, reason);
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

    private static void cancel(@Nullable Future<?> future) {
        if (future != null) {
            future.cancel(false);
        }
    }

    /** Within a tenth, so that a fleet's scrapes do not fall into step. */
    private long jittered(long nanos) {
        return (long) (nanos * (0.9 + scraping.random() * 0.2));
    }

    /** What all pollers share: settings, time, and where news goes. */
    interface Scraping {

        ScrapeSettings settings();

        ScrapeEvents events();

        long now();

        /** How many share the loop. */
        int endpoints();

        /** Flow control is told that there is a new sample. */
        void signal();

        Bootstrap bootstrap(EventLoop loop);

        /** For {@code https}, else null. */
        @Nullable SslContext tls();

        /** From 0 up to 1: what keeps scrapes out of step. */
        default double random() {
            return ThreadLocalRandom.current().nextDouble();
        }
    }
}
