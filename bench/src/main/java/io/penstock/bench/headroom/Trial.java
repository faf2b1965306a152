package io.penstock.bench.headroom;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A fixed backlog that dispatchers bring to its end while something happens to the proxy, a backend or the client. Started by a thread that
 * is no event loop; it counts on the dispatchers' loop.
 */
final class Trial {

    private final EventLoop loop;
    private final List<Dispatcher> dispatchers = new ArrayList<>();
    private final Account account = new Account();
    private final List<Goal> goals = new ArrayList<>();
    private final CompletableFuture<Account.Totals> settled = new CompletableFuture<>();
    private int done;

    /**
     * What is sent, and how.
     *
     * @param protocol what dispatchers speak
     * @param law of each window
     * @param dispatchers how many share the backlog
     * @param objectives one band each; items go to them in turn
     * @param items of all together
     * @param deadlineMillis of each item, from the moment when all are connected
     */
    record Plan(Protocol protocol, Law law, int dispatchers, List<String> objectives, int items, long deadlineMillis) {
    }

    /** Done once so many items have been answered. */
    private record Goal(int items, CompletableFuture<Void> reached) {
    }

    private Trial(EventLoop loop) {
        this.loop = loop;
    }

    /** Begins to send; {@code reserve} is the headroom that the laws leave. */
    static Trial start(EventLoop loop, WireSettings wires, Plan plan, double reserve) {
        Trial trial = new Trial(loop);
        loop.execute(() -> trial.begin(wires, plan, reserve));
        return trial;
    }

    private void begin(WireSettings wires, Plan plan, double reserve) {
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < plan.dispatchers(); i++) {
            Dispatcher one = new Dispatcher(loop, plan.protocol(), wires);
            for (String objective : plan.objectives()) {
                ControlLaw law = plan.law().make(plan.dispatchers(), 1.0 / plan.dispatchers(), reserve);
                Lane.Plan lane = new Lane.Plan(objective, law, new Backlog(() -> null), Lane.REFUSED_PAUSE_MILLIS);
                lanes.add(one.lane(lane, account, this::head, i));
            }
            dispatchers.add(one);
        }
        dispatchers.forEach(Dispatcher::open);
        CompletableFuture.allOf(dispatchers.stream().map(Dispatcher::connected).toArray(CompletableFuture[]::new))
                .thenRun(() -> loop.execute(() -> fill(lanes, plan)));
    }

    /** Deadlines count from the moment when something could be sent. */
    private void fill(List<Lane> lanes, Plan plan) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.deadlineMillis());
        for (int i = 0; i < plan.items(); i++) {
            lanes.get(i % lanes.size()).add(new Item(i, deadline));
        }
        account.whenSettled(() -> loop.execute(this::settle));
        dispatchers.forEach(Dispatcher::start);
    }

    private void head(Answer answer) {
        if (answer.outcome() == Outcome.DONE) {
            done++;
            goals.removeIf(goal -> {
                boolean reached = goal.items() <= done;
                if (reached) {
                    goal.reached().complete(null);
                }
                return reached;
            });
        }
    }

    private void settle() {
        dispatchers.forEach(Dispatcher::close);
        try {
            account.totals().check();
            settled.complete(account.totals());
        } catch (IllegalStateException lost) {
            settled.completeExceptionally(lost);
        }
    }

    /** Done once so many requests have been answered. */
    CompletableFuture<Void> reached(int items) {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        loop.execute(() -> {
            goals.add(new Goal(items, reached));
            if (items <= done) {
                reached.complete(null);
            }
        });
        return reached;
    }

    /** Done once every item has ended, with the account, which has been checked. */
    CompletableFuture<Account.Totals> settled() {
        return settled;
    }
}
