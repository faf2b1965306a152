package io.penstock.proxy.endpoint;

import io.penstock.flow.EngineSample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open leases of one endpoint, in all and since its newest sample was started. Any thread charges and gives back; samples
 * are marked and published under a lock that nobody takes on a request's way.
 *
 * <p>Time is cut into windows, a new one at each start of a sample. A lease belongs to the window that was open when it was charged and
 * gives back to that one, so that a turnover moves no counts: it only changes which windows are summed. Samples that fail leave their
 * windows standing; those without leases are dropped, so there are never more of them than open leases and two.
 *
 * <p>Charging enters the window before the total, giving back leaves the total before the window: whoever reads the window first and the
 * total after it never takes a lease of the window for one from before it.
 */
final class InFlight {

    private static final AtomicIntegerFieldUpdater<InFlight> REQUESTS = AtomicIntegerFieldUpdater.newUpdater(InFlight.class, "requests");
    private static final AtomicLongFieldUpdater<InFlight> TOKENS = AtomicLongFieldUpdater.newUpdater(InFlight.class, "tokens");

    // In this very object: detector and placement read them of every endpoint, for every request.
    private volatile int requests;
    private volatile long tokens;
    private volatile Turn turn;

    InFlight(@Nullable EngineSample first) {
        turn = new Turn(first, new Window[] {new Window()}, 0);
    }

    int requests() {
        return requests;
    }

    long tokens() {
        return tokens;
    }

    @Nullable EngineSample sample() {
        return turn.sample;
    }

    /** Leases charged since the newest sample was started and still open. */
    int sinceSample() {
        return open(turn.windows);
    }

    /**
     * Leases that the newest sample has seen and that were closed after it was published. A lease may stay open long after the engine has
     * done its part, for a client that reads slowly: no more count as seen than the engine said that it has, and the first closes count as
     * those that it had done with.
     */
    int endedSinceSample() {
        Turn now = turn;
        int since = open(now.windows);
        return Math.max(0, now.seen - (requests - since));
    }

    private static int open(Window[] windows) {
        int sum = 0;
        for (Window window : windows) {
            sum += window.open.get();
        }
        return sum;
    }

    /** Counts one request in; the window is what it must be given back to. */
    Window charge(long requestTokens) {
        Window window = turn.newest();
        window.open.incrementAndGet();
        // A sample may have been started since the window was read, and then this request came after its start.
        for (Window now = turn.newest(); now != window; now = turn.newest()) {
            now.open.incrementAndGet();
            window.open.decrementAndGet();
            window = now;
        }
        REQUESTS.incrementAndGet(this);
        if (requestTokens != 0) {
            TOKENS.addAndGet(this, requestTokens);
        }
        return window;
    }

    void giveBack(Window window, long requestTokens) {
        if (requestTokens != 0) {
            TOKENS.addAndGet(this, -requestTokens);
        }
        REQUESTS.decrementAndGet(this);
        window.open.decrementAndGet();
    }

    /** Gives tokens back of a lease that stays open. */
    void giveBackTokens(long requestTokens) {
        if (requestTokens != 0) {
            TOKENS.addAndGet(this, -requestTokens);
        }
    }

    /** A sample starts now: what is charged from here on is not in it. */
    synchronized Window mark() {
        Turn before = turn;
        List<Window> kept = new ArrayList<>(before.windows.length + 1);
        for (Window window : before.windows) {
            // The newest one may be charged at this very moment; those before it cannot be charged any more, only given back to.
            if (window == before.newest() || window.open.get() != 0) {
                kept.add(window);
            }
        }
        Window started = new Window();
        kept.add(started);
        turn = new Turn(before.sample, kept.toArray(Window[]::new), before.seen);
        return started;
    }

    /** Makes a sample the newest, together with the count of what it has not seen. One that a later sample has overtaken is dropped. */
    synchronized void publish(Window started, EngineSample sample) {
        Window[] windows = turn.windows;
        int from = 0;
        while (from < windows.length && windows[from] != started) {
            from++;
        }
        if (from == windows.length) {
            return;
        }
        Window[] since = new Window[windows.length - from];
        System.arraycopy(windows, from, since, 0, since.length);
        // The total first: a request that comes in between is then missing from what was seen, not a second time in it.
        int total = requests;
        long inEngine = (long) sample.waiting() + Math.max(0, sample.running());
        turn = new Turn(sample, since, (int) Math.max(0, Math.min(total - open(since), inEngine)));
    }

    /** Forgets the sample: nothing is known of the server. Counts stay. */
    synchronized void forget() {
        turn = new Turn(null, turn.windows, 0);
    }

    /** The leases charged between two starts of samples. */
    static final class Window {
        private final AtomicInteger open = new AtomicInteger();
    }

    private static final class Turn {
        private final @Nullable EngineSample sample;
        private final Window[] windows;
        /** Leases from before the windows that the engine had when the sample was published. */
        private final int seen;

        Turn(@Nullable EngineSample sample, Window[] windows, int seen) {
            this.sample = sample;
            this.windows = windows;
            this.seen = seen;
        }

        Window newest() {
            return windows[windows.length - 1];
        }
    }
}
