package io.penstock.bench.load;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Sends requests at a constant rate, whatever happens to the answers, and measures each from the moment at which it <em>should</em> have
 * been sent. A proxy that stalls for a second at 10 000 requests/s so gets 10 000 slow requests, as its users would, and not one
 * (coordinated omission). Used on the client's event loop; {@link #run} from any other thread.
 */
public final class OpenLoop {

    private final Ticker ticker;
    private final Consumer<Call> sender;
    private final double nanosEach;
    private final long total;
    private final long graceNanos;
    private final LatencyLog log = new LatencyLog();
    private final Map<Long, Long> open = new LinkedHashMap<>();
    private final CompletableFuture<LatencyReport> done = new CompletableFuture<>();
    private long begun;
    private long next;

    OpenLoop(Ticker ticker, Consumer<Call> sender, double perSecond, Duration time, Duration grace) {
        if (!(perSecond > 0)) {
            throw new IllegalArgumentException("rate: " + perSecond + " (expected: above 0 requests/s)");
        }
        this.ticker = ticker;
        this.sender = sender;
        nanosEach = 1e9 / perSecond;
        total = Math.max(1, Math.round(time.toNanos() / nanosEach));
        graceNanos = grace.toNanos();
    }

    /**
     * Sends {@code perSecond} x {@code time} requests and returns when all have ended, or {@code grace} after the last was due. Blocks;
     * not on the client's loop.
     */
    public static LatencyReport run(LoadClient client, LoadRequest request, double perSecond, Duration time, Duration grace) {
        OpenLoop load = new OpenLoop(Ticker.of(client.loop()), call -> client.send(request, call), perSecond, time, grace);
        client.loop().execute(load::begin);
        return load.done.join();
    }

    void begin() {
        begun = ticker.nanoTime();
        step();
    }

    CompletableFuture<LatencyReport> done() {
        return done;
    }

    private long intended(long index) {
        return begun + Math.round(index * nanosEach);
    }

    private void step() {
        long now = ticker.nanoTime();
        while (next < total && intended(next) - now <= 0) {
            start(next++, now);
            now = ticker.nanoTime();
        }
        if (next < total) {
            ticker.at(intended(next), this::step);
        } else {
            ticker.at(intended(total - 1) + graceNanos, this::finish);
            finishIfAllEnded();
        }
    }

    private void start(long index, long now) {
        long intended = intended(index);
        log.sent(intended, now);
        open.put(index, intended);
        sender.accept(new Call() {
            @Override
            public void end(int status) {
                if (open.remove(index) != null) {
                    log.ended(intended, ticker.nanoTime(), status);
                    finishIfAllEnded();
                }
            }

            @Override
            public void failed(String why) {
                if (open.remove(index) != null) {
                    log.failed(why, ticker.nanoTime());
                    finishIfAllEnded();
                }
            }
        });
    }

    private void finishIfAllEnded() {
        if (next == total && open.isEmpty()) {
            finish();
        }
    }

    private void finish() {
        if (done.isDone()) {
            return;
        }
        long now = ticker.nanoTime();
        open.values().forEach(intended -> log.unanswered(intended, now));
        LatencyReport report = log.report(begun);
        open.clear();
        done.complete(report);
    }
}
