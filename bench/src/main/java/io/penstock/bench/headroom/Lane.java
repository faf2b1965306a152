package io.penstock.bench.headroom;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One band's window in one dispatcher: sends from the backlog as far as the law allows, puts back what was refused or failed, and ends each
 * item once, as done or at its deadline. A refused request keeps its place in the window for a pause, so that no law retries at once. One
 * event loop.
 */
final class Lane {

    /** After a refusal, where nothing else is said; drawn anew each time from half to one and a half of it. */
    static final int REFUSED_PAUSE_MILLIS = 20;
    /** After a failure that says nothing about the band. */
    static final int FAILED_PAUSE_MILLIS = 50;

    private final EventLoop loop;
    private final Wire wire;
    private final String objective;
    private final ControlLaw law;
    private final Backlog backlog;
    private final Account account;
    private final Consumer<Answer> heads;
    private final int refusedPauseMillis;
    private long noise;
    private int inFlight;
    private int pausing;
    private long next;
    private long closedUntilNanos = Long.MIN_VALUE;
    private int headroom = Answer.NONE;

    /**
     * One lane.
     *
     * @param heads hears of every response head, to keep figures
     * @param seed of the pauses
     */
    Lane(EventLoop loop, Wire wire, Plan plan, Account account, Consumer<Answer> heads, long seed) {
        this.loop = loop;
        this.wire = wire;
        this.objective = plan.objective();
        this.law = plan.law();
        this.backlog = plan.backlog();
        this.refusedPauseMillis = plan.refusedPauseMillis();
        this.account = account;
        this.heads = heads;
        this.noise = seed;
    }

    /**
     * What a lane sends, and how.
     *
     * @param objective names the band
     * @param law sizes the window
     * @param backlog what is to be sent
     * @param refusedPauseMillis how long a refused request keeps its place, 1 or more, give or take half of it
     */
    record Plan(String objective, ControlLaw law, Backlog backlog, int refusedPauseMillis) {
    }

    int inFlight() {
        return inFlight;
    }

    double window() {
        return law.window();
    }

    /** The last headroom that was read, or {@link Answer#NONE}. */
    int headroom() {
        return headroom;
    }

    Backlog backlog() {
        return backlog;
    }

    /** Takes an item over that is to be sent when there is room; its deadline counts from now on. */
    void add(Item item) {
        draw(item);
        backlog.putBack(item);
    }

    private void draw(Item item) {
        account.drawn();
        item.alarm = loop.schedule(() -> expire(item), item.deadlineNanos() - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private void expire(Item item) {
        Wire.Sent sent = item.sent;
        item.sent = null;
        if (sent != null) {
            sent.cancel();
            inFlight--;
            account.cancelled();
        }
        end(item, Item.State.EXPIRED);
        pump();
    }

    private void end(Item item, Item.State state) {
        item.end(state);
        account.closed(item);
    }

    /** Sends what may be sent now. */
    void pump() {
        while (inFlight + pausing < law.window() && wire.room() > 0 && closedUntilNanos <= System.nanoTime()) {
            Item item = backlog.next();
            if (item == null) {
                return;
            }
            if (item.alarm == null) {
                draw(item);
            }
            send(item);
        }
    }

    private void send(Item item) {
        Attempt attempt = new Attempt(item, next++);
        inFlight++;
        account.attempted();
        item.attempted();
        long left = TimeUnit.NANOSECONDS.toMillis(item.deadlineNanos() - System.nanoTime());
        item.sent = wire.send(new Wire.Request(objective, Math.max(1, left)), attempt);
    }

    private void failed(Item item, Answer answer) {
        backlog.putBack(item);
        switch (answer.outcome()) {
            case SATURATED -> {
                if (answer.retryAfterSeconds() != Answer.NONE) {
                    closeFor(answer.retryAfterSeconds());
                }
                pause(refusedPauseMillis);
            }
            case NO_ENDPOINTS, SHUTTING_DOWN, FAILED -> pause(FAILED_PAUSE_MILLIS);
            default -> {
                // At once: it was worth waiting for, or it was never looked at.
            }
        }
    }

    private void closeFor(int seconds) {
        closedUntilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        loop.schedule(this::pump, seconds, TimeUnit.SECONDS);
    }

    private void pause(long millis) {
        noise = noise * 6364136223846793005L + 1442695040888963407L;
        long micros = millis * 500 + (noise >>> 33) % (millis * 1000);
        pausing++;
        loop.schedule(() -> {
            pausing--;
            pump();
        }, micros, TimeUnit.MICROSECONDS);
    }

    /** One request in flight. */
    private final class Attempt implements Wire.Reply {

        private final Item item;
        private final long number;
        private Answer answer = Answer.without(Outcome.FAILED);
        private boolean answered;

        Attempt(Item item, long number) {
            this.item = item;
            this.number = number;
        }

        @Override
        public void head(Answer head) {
            answer = head;
            answered = true;
            if (head.headroom() != Answer.NONE) {
                headroom = head.headroom();
            }
            // Here and not at the end: the value is that of the moment when the head was written.
            law.answered(head, new ControlLaw.Flight(inFlight, number, next));
            heads.accept(head);
        }

        @Override
        public void end(Outcome outcome) {
            if (outcome != Outcome.DONE) {
                answer = Answer.without(outcome);
            }
            if (!answered) {
                law.answered(answer, new ControlLaw.Flight(inFlight, number, next));
            }
            inFlight--;
            item.sent = null;
            account.ended(answer.outcome());
            if (answer.outcome() == Outcome.DONE) {
                Lane.this.end(item, Item.State.DONE);
            } else {
                failed(item, answer);
            }
        }
    }
}
