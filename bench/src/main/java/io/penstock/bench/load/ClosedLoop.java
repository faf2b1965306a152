package io.penstock.bench.load;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Keeps a fixed number of requests under way until so many have ended: for the latency of one request alone, and for warming. It sends
 * the next one when one has ended, so under load its percentiles flatter (see {@link OpenLoop}); with one request at a time they are what
 * that request took. Used on the client's event loop; {@link #run} from any other thread.
 */
public final class ClosedLoop {

    private final Ticker ticker;
    private final Consumer<Call> sender;
    private final long total;
    private final LatencyLog log = new LatencyLog();
    private final CompletableFuture<LatencyReport> done = new CompletableFuture<>();
    private long begun;
    private long started;

    ClosedLoop(Ticker ticker, Consumer<Call> sender, long total) {
        this.ticker = ticker;
        this.sender = sender;
        this.total = total;
    }

    /**
     * Sends {@code total} requests, {@code concurrency} at a time, and returns when all have ended, or after {@code limit} with those
     * that have. Blocks; not on the client's loop.
     */
    public static LatencyReport run(LoadClient client, LoadRequest request, int concurrency, long total, Duration limit) {
        ClosedLoop load = new ClosedLoop(Ticker.of(client.loop()), call -> client.send(request, call), total);
        client.loop().execute(() -> load.begin(concurrency, limit));
        return load.done.join();
    }

    void begin(int concurrency, Duration limit) {
        begun = ticker.nanoTime();
        ticker.at(begun + limit.toNanos(), this::finish);
        for (int i = 0; i < concurrency; i++) {
            startNext();
        }
    }

    CompletableFuture<LatencyReport> done() {
        return done;
    }

    private void startNext() {
        if (started == total || done.isDone()) {
            return;
        }
        started++;
        long start = ticker.nanoTime();
        log.sent(start, start);
        sender.accept(new Call() {
            @Override
            public void end(int status) {
                log.ended(start, ticker.nanoTime(), status);
                proceed();
            }

            @Override
            public void failed(String why) {
                log.failed(why, ticker.nanoTime());
                // Not from within the failure: a client without connections would fail the next one at once, and so on down the stack.
                ticker.at(ticker.nanoTime(), ClosedLoop.this::proceed);
            }
        });
    }

    private void proceed() {
        if (started == total && log.open() == 0) {
            finish();
        } else {
            startNext();
        }
    }

    private void finish() {
        if (!done.isDone()) {
            done.complete(log.report(begun));
        }
    }
}
