package io.penstock.bench.headroom;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What waits to be sent: first what came back from an attempt, then what the source still has. One thread, its dispatcher's. */
final class Backlog {

    private final Deque<Item> returned = new ArrayDeque<>();
    private final Supplier<@Nullable Item> source;
    private boolean closed;

    /** {@code source} gives the next item, or null when there is none for now. */
    Backlog(Supplier<@Nullable Item> source) {
        this.source = source;
    }

    /** The next item that is still open, or null. */
    @Nullable Item next() {
        for (Item item = returned.poll(); item != null; item = returned.poll()) {
            if (item.open()) {
                return item;
            }
        }
        return closed ? null : source.get();
    }

    /** Takes an item back whose attempt came to nothing. */
    void putBack(Item item) {
        returned.add(item);
    }

    /** Draws nothing from the source any more; what comes back is still sent again. */
    void close() {
        closed = true;
    }
}
