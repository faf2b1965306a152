package io.penstock.proxy.endpoint;

import io.penstock.flow.EngineSample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open leases of one endpoint, in all and since its newest sample was started. Any thread charges and gives back; samples
 * are marked and published under a lock that nobody takes on a request's way.
 *
 * <p>Time is cut into windows, a new one at each start of a sample. A lease belongs to the window that was open when it was charged and
 * gives back to that one, so that a turnover moves no counts: it only changes which windows are summed. Samples that fail leave their
 * windows standing; those without leases are dropped, so there are never more of them than open leases and two.
 */
final class InFlight {

    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong tokens = new AtomicLong();
    private volatile Turn turn;

    InFlight(@Nullable EngineSample first) {
        turn = new Turn(first, new Window[] {new Window()});
    }

    int requests() {
        return requests.get();
    }

    long tokens() {
        return tokens.get();
    }

    @Nullable EngineSample sample() {
        return turn.sample;
    }

    /** Leases charged since the newest sample was started and still open. */
    int sinceSample() {
        int sum = 0;
        for (Window window : turn.windows) {
            sum += window.open.get();
        }
        return sum;
    }

    /** Counts one request in; the window is what it must be given back to. */
    Window charge(long requestTokens) {
        requests.incrementAndGet();
        if (requestTokens != 0) {
            tokens.addAndGet(requestTokens);
        }
        Window window = turn.newest();
        window.open.incrementAndGet();
        // A sample may have been started since the window was read, and then this request came after its start.
        for (Window now = turn.newest(); now != window; now = turn.newest()) {
            now.open.incrementAndGet();
            window.open.decrementAndGet();
            window = now;
        }
        return window;
    }

    void giveBack(Window window, long requestTokens) {
        window.open.decrementAndGet();
        if (requestTokens != 0) {
            tokens.addAndGet(-requestTokens);
        }
        requests.decrementAndGet();
    }

    /** Gives tokens back of a lease that stays open. */
    void giveBackTokens(long requestTokens) {
        if (requestTokens != 0) {
            tokens.addAndGet(-requestTokens);
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
        turn = new Turn(before.sample, kept.toArray(Window[]::new));
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
        turn = new Turn(sample, since);
    }

    /** Forgets the sample: nothing is known of the server. Counts stay. */
    synchronized void forget() {
        turn = new Turn(null, turn.windows);
    }

    /** The leases charged between two starts of samples. */
    static final class Window {
        private final AtomicInteger open = new AtomicInteger();
    }

    private static final class Turn {
        private final @Nullable EngineSample sample;
        private final Window[] windows;

        Turn(@Nullable EngineSample sample, Window[] windows) {
            this.sample = sample;
            this.windows = windows;
        }

        Window newest() {
            return windows[windows.length - 1];
        }
    }
}
