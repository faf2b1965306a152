package io.penstock.proxy;

import io.penstock.flow.FlowController;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.downstream.Listeners;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the proxy to its end: clients are asked to go elsewhere, what runs and what waits goes on, and what is left at the drain timeout
 * is reset and counted. Started once, from any thread; does its work on a thread of its own.
 */
final class Drain {

    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    /** Between the two GOAWAY frames there is at least this, so that what a client had sent before the first is served. */
    private static final Duration SHORTEST_GRACE = Duration.ofMillis(100);
    private static final Duration POLL = Duration.ofMillis(20);

    private final ProxyConfig.Drain config;
    private final FlowController flow;
    private final Listeners listeners;
    private final LongSupplier clock;
    private final AtomicBoolean started = new AtomicBoolean();
    private final CountDownLatch done = new CountDownLatch(1);
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread own = new Thread(task, "penstock-drain");
        own.setDaemon(true);
        return own;
    });
    /** Before it listeners are open: a quiet moment is no end while clients may still come. */
    private long graceEnds;
    private long deadline;
    /** What still waited has been told that there is no more time; only the own thread looks. */
    private boolean refused;

    Drain(ProxyConfig.Drain config, FlowController flow, Listeners listeners, LongSupplier nanoClock) {
        this.config = config;
        this.flow = flow;
        this.listeners = listeners;
        this.clock = nanoClock;
    }

    boolean started() {
        return started.get();
    }

    /** Begins; a second call changes nothing. */
    void start() {
        if (!started.compareAndSet(false, true)) {
            return;
        }
        long now = clock.getAsLong();
        graceEnds = now + config.grace().toNanos();
        deadline = now + config.timeout().toNanos();
        LOG.info("Draining: {} requests on {} connections, at most {} ms", listeners.openRequests(), listeners.openConnections(),
                config.timeout().toMillis());
        flow.beginDrain();
        Duration grace = config.grace().compareTo(SHORTEST_GRACE) < 0 ? SHORTEST_GRACE : config.grace();
        listeners.startDrain(grace);
        thread.schedule(listeners::stopAccepting, grace.toNanos(), TimeUnit.NANOSECONDS);
        thread.scheduleWithFixedDelay(this::pollGuarded, POLL.toNanos(), POLL.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** An exception would end the schedule, and the process would never end. */
    private void pollGuarded() {
        try {
            poll();
        } catch (RuntimeException e) {
            LOG.error("A step of the drain failed", e);
        }
    }

    private void poll() {
        if (ended()) {
            return;
        }
        long now = clock.getAsLong();
        boolean quiet = now - graceEnds >= 0 && listeners.openRequests() == 0 && listeners.openConnections() == 0;
        if (!quiet && now - deadline < 0) {
            return;
        }
        flow.shutdown();
        if (!quiet && !refused) {
            // What waited is answered by now, or will be in a moment; the loops have until the next look to send that.
            refused = true;
            return;
        }
        int cut = listeners.closeNow();
        LOG.info("Drained: {} requests were reset", cut);
        done.countDown();
    }

    boolean ended() {
        return done.getCount() == 0;
    }

    /** Waits for the end. */
    void await() throws InterruptedException {
        done.await();
    }

    void stop() {
        thread.shutdownNow();
    }
}
