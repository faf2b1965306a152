package io.penstock.bench.load;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Streams of server-sent events from the backend stub through a proxy: all of a burst start together or spread over an interval, and the
 * next burst starts when the one before has ended. Used on the client's event loop; {@link #run} from any other thread.
 */
public final class StreamLoad {

    /**
     * What to send.
     *
     * @param streams of one burst, at least 1
     * @param events of each stream, at least 1
     * @param everyMillis between two events of a stream; 0 for flat out
     * @param spread over which the starts of a burst are spread evenly; zero for all together
     * @param bursts one after another, at least 1
     */
    public record Plan(int streams, int events, int everyMillis, Duration spread, int bursts) {
    }

    private final Ticker ticker;
    private final Consumer<Call> sender;
    private final Plan plan;
    private final long expectedBytes;
    private final Histogram firstEvent = new Histogram(LatencyLog.LONGEST, 3);
    private final Map<String, Long> failed = new TreeMap<>();
    private final CompletableFuture<StreamReport> done = new CompletableFuture<>();
    private long begun;
    private long lastEnd;
    private long bytes;
    private int burst;
    private int open;
    private long started;
    private long ended;

    StreamLoad(Ticker ticker, Consumer<Call> sender, Plan plan) {
        this.ticker = ticker;
        this.sender = sender;
        this.plan = plan;
        expectedBytes = (long) plan.events() * BackendStub.eventBytes();
    }

    /** Plays the plan and returns when all streams have ended, or after {@code limit}. Blocks; not on the client's loop. */
    public static StreamReport run(LoadClient client, Plan plan, Duration limit) {
        LoadRequest request = LoadRequest.post(BackendStub.streamPath(plan.events(), plan.everyMillis()), 500);
        StreamLoad load = new StreamLoad(Ticker.of(client.loop()), call -> client.send(request, call), plan);
        client.loop().execute(() -> load.begin(limit));
        return load.done.join();
    }

    void begin(Duration limit) {
        begun = ticker.nanoTime();
        lastEnd = begun;
        ticker.at(begun + limit.toNanos(), this::timeOut);
        nextBurst();
    }

    CompletableFuture<StreamReport> done() {
        return done;
    }

    private void nextBurst() {
        burst++;
        open = plan.streams();
        long start = ticker.nanoTime();
        long apart = plan.spread().toNanos() / plan.streams();
        for (int i = 0; i < plan.streams(); i++) {
            if (apart == 0) {
                startOne();
            } else {
                ticker.at(start + i * apart, this::startOne);
            }
        }
    }

    private void startOne() {
        if (done.isDone()) {
            return;
        }
        started++;
        sender.accept(new Stream(ticker.nanoTime()));
    }

    private void oneEnded() {
        lastEnd = ticker.nanoTime();
        open--;
        if (open > 0 || done.isDone()) {
            return;
        }
        if (burst < plan.bursts()) {
            ticker.at(lastEnd, this::nextBurst);
        } else {
            finish();
        }
    }

    private void timeOut() {
        if (!done.isDone()) {
            long missing = (long) plan.streams() * plan.bursts() - ended - failed.values().stream().mapToLong(Long::longValue).sum();
            failed.merge("unanswered", missing, Long::sum);
            lastEnd = ticker.nanoTime();
            finish();
        }
    }

    private void finish() {
        done.complete(new StreamReport(started, ended, Map.copyOf(failed), bytes / BackendStub.eventBytes(), firstEvent.copy(),
                Math.max(1, lastEnd - begun)));
    }

    /** One stream. */
    private final class Stream implements Call {
        private final long start;
        private long mine;

        Stream(long start) {
            this.start = start;
        }

        @Override
        public void data(int count) {
            if (mine == 0) {
                firstEvent.recordValue(Math.max(0, Math.min(LatencyLog.LONGEST, ticker.nanoTime() - start)));
            }
            mine += count;
            bytes += count;
        }

        @Override
        public void end(int status) {
            if (status != 200) {
                failed("status " + status);
            } else if (mine != expectedBytes) {
                failed("incomplete");
            } else {
                ended++;
                oneEnded();
            }
        }

        @Override
        public void failed(String why) {
            failed.merge(why, 1L, Long::sum);
            oneEnded();
        }
    }
}
