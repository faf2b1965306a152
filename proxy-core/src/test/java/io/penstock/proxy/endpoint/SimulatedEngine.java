package io.penstock.proxy.endpoint;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EngineSample;
import io.penstock.flow.Lease;
import io.penstock.flow.Placement;
import io.penstock.flow.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model server on a manual clock, and its scraper: so many requests run, the rest queue in order; its metrics are read at an interval, or
 * when asked for. Time moves in steps of a millisecond. One thread.
 */
final class SimulatedEngine implements Placement {

    private static final class Job {
        private final EndpointLease lease;
        private int left;
        private int reading;

        Job(EndpointLease lease, int left, int reading) {
            this.lease = lease;
            this.left = left;
            this.reading = reading;
        }
    }

    /** Between a scrape's start and the page, and again until the page is here. */
    int pageMillis = (int) Poller.SETTLE.toMillis();
    /** How long a request runs. */
    IntSupplier workMillis = () -> 300;
    /** How long a client goes on reading after the engine has done its part. */
    IntSupplier readMillis = () -> 0;
    /** Told of each freed lease. */
    Runnable signal = () -> {
    };

    final Endpoint endpoint;
    private final ManualClock clock;
    private final int slots;
    private final int interval;
    private final boolean onDemand;
    private final List<Job> running = new ArrayList<>();
    private final Deque<Job> queue = new ArrayDeque<>();
    private final List<Job> read = new ArrayList<>();
    private InFlight.@Nullable Window mark;
    private @Nullable EngineSample page;
    private boolean asked;
    private int now;
    private int nextScrape;
    private int lastScrape = -1_000;
    private int scrapes;
    private int mostQueued;
    private int done;

    SimulatedEngine(ManualClock clock, int slots, Duration interval, boolean onDemand) {
        this.clock = clock;
        this.slots = slots;
        this.interval = (int) interval.toMillis();
        this.onDemand = onDemand;
        this.endpoint = new Endpoint(Fleet.spec("engine", 1));
        endpoint.sampledBy(() -> asked = true);
    }

    @Override
    public Lease place(AdmissionRequest request) {
        EndpointLease lease = endpoint.charge(0, signal);
        queue.add(new Job(lease, workMillis.getAsInt(), readMillis.getAsInt()));
        fillSlots();
        mostQueued = Math.max(mostQueued, queue.size());
        return lease;
    }

    private void fillSlots() {
        while (running.size() < slots && !queue.isEmpty()) {
            running.add(queue.remove());
        }
    }

    /** A millisecond later. */
    void step() {
        clock.advanceMillis(1);
        now++;
        work();
        close();
        scrape();
    }

    private void work() {
        for (Iterator<Job> all = running.iterator(); all.hasNext();) {
            Job job = all.next();
            if (--job.left <= 0) {
                all.remove();
                read.add(job);
            }
        }
        fillSlots();
    }

    private void close() {
        List<Job> over = new ArrayList<>();
        for (Job job : read) {
            if (job.reading-- <= 0) {
                over.add(job);
            }
        }
        read.removeAll(over);
        done += over.size();
        over.forEach(job -> job.lease.close());
    }

    private void scrape() {
        InFlight.Window started = mark;
        if (started == null) {
            boolean due = now >= nextScrape || onDemand && asked && now - lastScrape >= Poller.ON_DEMAND.toMillis();
            if (due) {
                asked = false;
                lastScrape = now;
                nextScrape = now + interval;
                mark = endpoint.counts().mark();
            }
        } else if (page == null && now - lastScrape >= pageMillis) {
            page = new EngineSample(clock.getAsLong(), queue.size(), running.size(), 0.1);
        } else if (page != null && now - lastScrape >= 2 * pageMillis) {
            endpoint.counts().publish(started, page);
            scrapes++;
            mark = null;
            page = null;
            signal.run();
        }
    }

    int scrapes() {
        return scrapes;
    }

    /** The longest that its queue ever was. */
    int mostQueued() {
        return mostQueued;
    }

    /** Requests that have ended. */
    int done() {
        return done;
    }
}
