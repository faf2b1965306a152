package io.penstock.proxy.http2;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection by their ids: open addressing, linear probing, no boxing. Used on one event loop.
 */
final class StreamTable {

    private static final int MIN = 16;
    private static final int MIX = 0x9E3779B9;

    private @Nullable SessionStream[] slots = new SessionStream[MIN];
    private int shift = Integer.numberOfLeadingZeros(MIN) + 1;
    private int size;

    int size() {
        return size;
    }

    private int home(int id) {
        return id * MIX >>> shift;
    }

    @Nullable SessionStream get(int id) {
        int mask = slots.length - 1;
        for (int at = home(id);; at = at + 1 & mask) {
            SessionStream found = slots[at];
            if (found == null || found.id() == id) {
                return found;
            }
        }
    }

    /** Adds a stream whose id is not there. */
    void add(SessionStream stream) {
        if (size >= slots.length >> 1) {
            grow();
        }
        place(stream);
        size++;
    }

    private void place(SessionStream stream) {
        int mask = slots.length - 1;
        int at = home(stream.id());
        while (slots[at] != null) {
            at = at + 1 & mask;
        }
        slots[at] = stream;
    }

    private void grow() {
        @Nullable SessionStream[] old = slots;
        slots = new SessionStream[old.length << 1];
        shift--;
        for (SessionStream stream : old) {
            if (stream != null) {
                place(stream);
            }
        }
    }

    void remove(int id) {
        int mask = slots.length - 1;
        int hole = home(id);
        for (SessionStream found = slots[hole]; found == null || found.id() != id; found = slots[hole]) {
            if (found == null) {
                return;
            }
            hole = hole + 1 & mask;
        }
        size--;
        // What stands behind moves up, unless that would bring it before its home.
        for (int at = hole + 1 & mask;; at = at + 1 & mask) {
            SessionStream next = slots[at];
            if (next == null) {
                slots[hole] = null;
                return;
            }
            if ((at - home(next.id()) & mask) >= (at - hole & mask)) {
                slots[hole] = next;
                hole = at;
            }
        }
    }

    /** A copy: whoever goes over the streams may close them. */
    List<SessionStream> all() {
        List<SessionStream> streams = new ArrayList<>(size);
        for (SessionStream stream : slots) {
            if (stream != null) {
                streams.add(stream);
            }
        }
        return streams;
    }
}
