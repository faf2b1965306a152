package io.penstock.bench.headroom;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Requests at random moments (Poisson), whatever becomes of those before: the interactive users. Latency counts from the moment when a
 * request was due, so a stall of this process or a lack of room shows as latency. One event loop.
 */
final class OpenLoad implements Wire.Owner {

    private static final Wire.Request REQUEST = new Wire.Request(Documents.INTERACTIVE, 60_000);

    private final EventLoop loop;
    private final Wire wire;
    private final Random random;
    private final double perSecond;
    private final Histogram latencies = new Histogram(TimeUnit.MINUTES.toMicros(2), 3);
    private final Deque<Long> due = new ArrayDeque<>();
    private long next;
    private boolean running;
    private int inFlight;
    private long done;
    private long failed;
    private Runnable whenIdle = () -> { };
    private final CompletableFuture<Void> connected = new CompletableFuture<>();

    OpenLoad(EventLoop loop, WireSettings settings, double perSecond, long seed) {
        this.loop = loop;
        this.perSecond = perSecond;
        random = new Random(seed);
        wire = new Http2Wire(loop, settings, this);
    }

    /** Completed once requests can be sent. */
    CompletableFuture<Void> connected() {
        return connected;
    }

    /** Begins to connect; on the event loop. */
    void open() {
        wire.open();
    }

    void start() {
        running = true;
        next = System.nanoTime();
        arrive();
    }

    private void arrive() {
        long now = System.nanoTime();
        while (running && next <= now) {
            due.add(next);
            next += (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
        }
        turn();
        if (running) {
            loop.schedule(this::arrive, next - now, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void turn() {
        if (wire.room() > 0) {
            connected.complete(null);
        }
        while (!due.isEmpty() && wire.room() > 0) {
            send(due.poll());
        }
    }

    private void send(long since) {
        inFlight++;
        wire.send(REQUEST, new Wire.Reply() {

            private Outcome outcome = Outcome.FAILED;

            @Override
            public void head(Answer answer) {
                outcome = answer.outcome();
            }

            @Override
            public void end(Outcome last) {
                inFlight--;
                if (last == Outcome.DONE && outcome == Outcome.DONE) {
                    done++;
                    latencies.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - since));
                } else {
                    failed++;
                }
                idle();
            }
        });
    }

    /** Sends nothing new, and calls back once nothing is in flight. */
    void stop(Runnable then) {
        running = false;
        whenIdle = then;
        idle();
    }

    private void idle() {
        if (!running && inFlight == 0 && due.isEmpty()) {
            Runnable then = whenIdle;
            whenIdle = () -> { };
            then.run();
        }
    }

    /** Forgets what was measured so far. */
    void mark() {
        latencies.reset();
        done = 0;
        failed = 0;
    }

    /** What was measured since the mark. */
    Measured measured() {
        return new Measured(done, failed, latencies.copy());
    }

    void close() {
        wire.close();
    }

    /**
     * Figures. Immutable by custom.
     *
     * @param done answered
     * @param failed refused or broken
     * @param latencies in microseconds, of those that were answered
     */
    record Measured(long done, long failed, Histogram latencies) {
    }
}
