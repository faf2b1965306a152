package io.penstock.bench.headroom;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One run of one cell: connects, warms up, measures, lets everything end, and checks that nothing was lost. {@link #run} is called by a
 * thread that is no event loop; the rest happens on the dispatchers' loop.
 */
final class CellRun {

    private static final long PATIENCE_SECONDS = 60;
    private static final long DEADLINE_SECONDS = 60;
    private static final long SAMPLE_MILLIS = 20;
    /** The open load comes first, so that dispatchers meet the pool as it is and not an empty one. */
    private static final long LEAD_MILLIS = 300;

    private final Bench bench;
    private final Cell cell;
    private final @Nullable Series series;
    private final EventLoop loop;
    private final List<Dispatcher> dispatchers = new ArrayList<>();
    private final Account account = new Account();
    private final Histogram waits = new Histogram(TimeUnit.MINUTES.toMillis(5), 3);
    private final CompletableFuture<Result> result = new CompletableFuture<>();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private OpenLoad load;
    private long items;
    private long begun;
    private int headroom = Answer.NONE;
    private long impossible;
    private long markedAt;
    private long busyAtMark;
    private Account.Totals atMark = account.totals();

    private CellRun(Bench bench, Cell cell, WireSettings wires, long seed, @Nullable Series series) {
        this.bench = bench;
        this.cell = cell;
        this.series = series;
        loop = bench.dispatchLoop();
        load = new OpenLoad(bench.loadLoop(), wires, cell.load() * bench.pool().capacity(), seed);
        for (int i = 0; i < cell.dispatchers(); i++) {
            Dispatcher one = new Dispatcher(loop, cell.protocol(), wires.reading(cell.header()));
            Lane.Plan plan = new Lane.Plan(Documents.batch(cell.band()),
                    cell.law().make(cell.dispatchers(), cell.gain(), cell.reserve()), new Backlog(this::item), cell.retryMillis());
            one.lane(plan, account, this::head, seed + i);
            dispatchers.add(one);
        }
    }

    /**
     * Runs it once.
     *
     * @param series filled for a picture, or null
     */
    static Result run(Bench bench, Cell cell, WireSettings wires, long seed, @Nullable Series series) {
        bench.pool().times().mean(cell.service().meanMillis());
        bench.pool().times().pace(1);
        bench.pool().times().step(cell.service().stepMillis());
        CellRun run = new CellRun(bench, cell, wires, seed, series);
        run.loop.execute(() -> run.dispatchers.forEach(Dispatcher::open));
        bench.loadLoop().execute(run.load::open);
        try {
            for (Dispatcher one : run.dispatchers) {
                get(one.connected(), cell);
            }
            get(run.load.connected(), cell);
            run.start();
            Result measured = get(run.result, cell);
            get(run.idle, cell);
            return measured;
        } finally {
            run.loop.execute(() -> run.dispatchers.forEach(Dispatcher::close));
            bench.loadLoop().execute(run.load::close);
        }
    }

    private static <T> T get(CompletableFuture<T> future, Cell cell) {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(cell.key() + ": interrupted (expected: left alone)", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(cell.key() + ": " + e + " (expected: at its end within " + PATIENCE_SECONDS + " s)", e);
        }
    }

    private Item item() {
        return new Item(items++, System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS));
    }

    private void head(Answer answer) {
        if (answer.headroom() != Answer.NONE) {
            headroom = answer.headroom();
            if (headroom > cell.band()) {
                impossible++;
            }
        }
        if (answer.outcome() == Outcome.DONE && answer.queueMillis() != Answer.NONE) {
            waits.recordValue(answer.queueMillis());
        }
    }

    private void start() {
        bench.loadLoop().execute(load::start);
        loop.schedule(() -> {
            begun = System.nanoTime();
            dispatchers.forEach(Dispatcher::start);
            Future<?> sampling = loop.scheduleAtFixedRate(this::sample, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
            loop.schedule(this::mark, cell.times().warmMillis(), TimeUnit.MILLISECONDS);
            loop.schedule(() -> finish(sampling), cell.times().warmMillis() + cell.times().millis(), TimeUnit.MILLISECONDS);
        }, LEAD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sample() {
        if (series == null) {
            return;
        }
        double window = 0;
        double inFlight = 0;
        for (Dispatcher one : dispatchers) {
            for (Lane lane : one.lanes()) {
                window += lane.window();
                inFlight += lane.inFlight();
            }
        }
        series.add(new Series.Point((System.nanoTime() - begun) / 1e9, window, inFlight, headroom,
                account.totals().of(Outcome.SATURATED)));
    }

    private void mark() {
        markedAt = System.nanoTime();
        busyAtMark = bench.pool().meter().busyNanos();
        atMark = account.totals();
        waits.reset();
        bench.loadLoop().execute(load::mark);
        bench.pool().times().pace(cell.service().pace());
    }

    private void finish(Future<?> sampling) {
        sampling.cancel(false);
        long elapsed = System.nanoTime() - markedAt;
        double slotUse = (double) (bench.pool().meter().busyNanos() - busyAtMark) / elapsed / bench.pool().slots();
        Account.Totals totals = account.totals().since(atMark);
        Histogram waited = waits.copy();
        dispatchers.forEach(one -> one.lanes().forEach(lane -> lane.backlog().close()));
        CompletableFuture<OpenLoad.Measured> interactive = new CompletableFuture<>();
        bench.loadLoop().execute(() -> {
            interactive.complete(load.measured());
            load.stop(() -> idle.complete(null));
        });
        account.whenSettled(() -> interactive.whenComplete((measured, failure) -> loop.execute(() ->
                settle(new Result(totals, elapsed / 1e9, slotUse, waited, measured, impossible)))));
    }

    private void settle(Result measured) {
        try {
            account.totals().check();
            result.complete(measured);
        } catch (IllegalStateException lost) {
            result.completeExceptionally(lost);
        }
    }
}
