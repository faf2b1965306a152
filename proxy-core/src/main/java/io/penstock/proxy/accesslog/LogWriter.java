package io.penstock.proxy.accesslog;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties the queue of records into a stream, in batches. One daemon thread; it looks at the queue every {@value #PAUSE_MS} ms rather than
 * being woken, so that an event loop never pays for waking it.
 */
final class LogWriter implements Runnable {

    static final long PAUSE_MS = 50;

    private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);
    private static final int BATCH = 512;
    private static final long COMPLAINT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Queue<AccessRecord> queue;
    private final OutputStream out;
    private final LongAdder dropped;
    private final LongSupplier nanoClock;
    private final ByteArrayOutputStream batch = new ByteArrayOutputStream(64 << 10);
    private final Thread thread;
    private volatile boolean stopping;

    // Of the writer's thread alone.
    private AccessJson json;
    private boolean brokenLine;
    private long complainedAt;
    private long complainedOf;

    LogWriter(Queue<AccessRecord> queue, OutputStream out, LongAdder dropped, LongSupplier nanoClock) {
        this.queue = queue;
        this.out = out;
        this.dropped = dropped;
        this.nanoClock = nanoClock;
        this.complainedAt = nanoClock.getAsLong() - COMPLAINT_NANOS;
        this.json = new AccessJson(batch);
        this.thread = new Thread(this, "penstock-access-log");
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Lets the writer finish and waits for it no longer than that; then it is left to itself, as a daemon. */
    void stop(Duration atMost) {
        stopping = true;
        LockSupport.unpark(thread);
        try {
            thread.join(atMost.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        while (true) {
            // Read before the queue is: what was queued before stop() is written.
            boolean last = stopping;
            int taken = writeBatch();
            complain();
            if (taken == 0) {
                if (last) {
                    break;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS));
            }
        }
        try {
            out.close();
        } catch (IOException ignored) {
            // Everything was handed over before.
        }
    }

    private int writeBatch() {
        int taken = 0;
        AccessRecord record;
        batch.reset();
        try {
            while (taken < BATCH && (record = queue.poll()) != null) {
                taken++;
                json.write(record);
            }
            if (taken > 0) {
                json.flush();
                send();
            }
        } catch (IOException e) {
            // A full disk can have taken half of a line: the next batch starts on a new one.
            brokenLine = true;
            dropped.add(taken);
        } catch (RuntimeException e) {
            LOG.error("access log: {} records lost", taken, e);
            dropped.add(taken);
            json = new AccessJson(batch);
        }
        return taken;
    }

    private void send() throws IOException {
        if (brokenLine) {
            out.write('\n');
            brokenLine = false;
        }
        batch.writeTo(out);
        out.flush();
    }

    /** One line on the application's log, at most every ten seconds. */
    private void complain() {
        long lost = dropped.sum();
        long now = nanoClock.getAsLong();
        if (lost != complainedOf && now - complainedAt >= COMPLAINT_NANOS) {
            LOG.warn("access log: {} records lost (expected: a disk with room, or a reader that keeps up)", lost - complainedOf);
            complainedOf = lost;
            complainedAt = now;
        }
    }
}
