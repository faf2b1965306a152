package io.penstock.proxy.http2;

import io.netty.handler.codec.Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A head in one array: names and values in turn, pseudo headers first, in the order in which they came. It makes no object for a field, and
 * a look-up of a name that is not there, which most are, costs a bit test. Names are compared as they are written, so they have to be in
 * lower case; it checks nothing, for whoever reads names and values from a peer has done so. Used on one event loop.
 */
public class FlatHeaders extends ConvertingHeaders {

    private @Nullable CharSequence[] slots;
    private int used;
    /** Slots of the pseudo headers, which come first. */
    private int pseudo;
    /** A bit for every name that was ever put in; two names may share one. */
    private long seen;

    /** @param fields how many are expected, those included that the proxy adds; more of them only cost a copy */
    public FlatHeaders(int fields) {
        slots = new CharSequence[Math.max(4, 2 * fields)];
    }

    /** Length and two letters tell most names apart, whatever kind of text they are. */
    private static long bit(CharSequence name) {
        int length = name.length();
        return length == 0 ? 1 : 1L << (length * 11 + name.charAt(length - 1) * 7 + name.charAt(length >> 1));
    }

    /** The slot of the name, from that slot on; negative when there is none. */
    int find(CharSequence name, int from) {
        if ((seen & bit(name)) == 0) {
            return -1;
        }
        int length = name.length();
        for (int at = from; at < used; at += 2) {
            CharSequence other = slots[at];
            if (other == name || other != null && other.length() == length && AsciiString.contentEquals(other, name)) {
                return at;
            }
        }
        return -1;
    }

    @Override
    public @Nullable CharSequence get(CharSequence name) {
        int at = find(name, 0);
        return at < 0 ? null : slots[at + 1];
    }

    @Override
    public CharSequence get(CharSequence name, CharSequence otherwise) {
        CharSequence value = get(name);
        return value == null ? otherwise : value;
    }

    @Override
    public List<CharSequence> getAll(CharSequence name) {
        int at = find(name, 0);
        if (at < 0) {
            return List.of();
        }
        int next = find(name, at + 2);
        if (next < 0) {
            return List.of(value(at));
        }
        List<CharSequence> values = new ArrayList<>();
        values.add(value(at));
        for (at = next; at >= 0; at = find(name, at + 2)) {
            values.add(value(at));
        }
        return values;
    }

    private CharSequence name(int at) {
        CharSequence name = slots[at];
        if (name == null) {
            throw new NoSuchElementException();
        }
        return name;
    }

    CharSequence value(int at) {
        return name(at + 1);
    }

    @Override
    public boolean contains(CharSequence name) {
        return find(name, 0) >= 0;
    }

    @Override
    public boolean contains(CharSequence name, CharSequence value) {
        return contains(name, value, false);
    }

    @Override
    public boolean contains(CharSequence name, CharSequence value, boolean caseInsensitive) {
        for (int at = find(name, 0); at >= 0; at = find(name, at + 2)) {
            CharSequence own = value(at);
            if (caseInsensitive ? AsciiString.contentEqualsIgnoreCase(own, value) : AsciiString.contentEquals(own, value)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int size() {
        return used / 2;
    }

    @Override
    public boolean isEmpty() {
        return used == 0;
    }

    @Override
    public Set<CharSequence> names() {
        Set<CharSequence> names = new LinkedHashSet<>();
        for (int at = 0; at < used; at += 2) {
            if (find(name(at), 0) == at) {
                names.add(name(at));
            }
        }
        return names;
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        boolean first = !name.isEmpty() && name.charAt(0) == ':';
        if (used == slots.length) {
            slots = Arrays.copyOf(slots, 2 * used);
        }
        int at = first ? pseudo : used;
        if (at < used) {
            System.arraycopy(slots, at, slots, at + 2, used - at);
        }
        slots[at] = name;
        slots[at + 1] = value;
        used += 2;
        pseudo += first ? 2 : 0;
        seen |= bit(name);
        return this;
    }

    @Override
    public Http2Headers add(CharSequence name, Iterable<? extends CharSequence> values) {
        values.forEach(value -> add(name, value));
        return this;
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence... values) {
        return add(name, Arrays.asList(values));
    }

    @Override
    public Http2Headers add(Headers<? extends CharSequence, ? extends CharSequence, ?> other) {
        for (Map.Entry<? extends CharSequence, ? extends CharSequence> field : other) {
            add(field.getKey(), field.getValue());
        }
        return this;
    }

    /** The first field of that name gets the value and the others go; it keeps its place. */
    @Override
    public Http2Headers set(CharSequence name, CharSequence value) {
        int at = find(name, 0);
        if (at < 0) {
            return add(name, value);
        }
        slots[at + 1] = value;
        removeFrom(name, at + 2);
        return this;
    }

    @Override
    public Http2Headers set(CharSequence name, Iterable<? extends CharSequence> values) {
        remove(name);
        return add(name, values);
    }

    @Override
    public Http2Headers set(CharSequence name, CharSequence... values) {
        return set(name, Arrays.asList(values));
    }

    @Override
    public Http2Headers set(Headers<? extends CharSequence, ? extends CharSequence, ?> other) {
        if (other != this) {
            clear();
            add(other);
        }
        return this;
    }

    @Override
    public Http2Headers setAll(Headers<? extends CharSequence, ? extends CharSequence, ?> other) {
        if (other != this) {
            other.names().forEach(this::remove);
            add(other);
        }
        return this;
    }

    @Override
    public boolean remove(CharSequence name) {
        return removeFrom(name, 0);
    }

    private boolean removeFrom(CharSequence name, int from) {
        boolean found = false;
        for (int at = find(name, from); at >= 0; at = find(name, at)) {
            removeAt(at);
            found = true;
        }
        return found;
    }

    private void removeAt(int at) {
        used -= 2;
        System.arraycopy(slots, at + 2, slots, at, used - at);
        slots[used] = null;
        slots[used + 1] = null;
        pseudo -= at < pseudo ? 2 : 0;
    }

    @Override
    public @Nullable CharSequence getAndRemove(CharSequence name) {
        CharSequence value = get(name);
        remove(name);
        return value;
    }

    @Override
    public CharSequence getAndRemove(CharSequence name, CharSequence otherwise) {
        CharSequence value = getAndRemove(name);
        return value == null ? otherwise : value;
    }

    @Override
    public List<CharSequence> getAllAndRemove(CharSequence name) {
        List<CharSequence> values = getAll(name);
        remove(name);
        return values;
    }

    @Override
    public Http2Headers clear() {
        Arrays.fill(slots, 0, used, null);
        used = 0;
        pseudo = 0;
        seen = 0;
        return this;
    }

    @Override
    public Http2Headers method(CharSequence value) {
        return set(PseudoHeaderName.METHOD.value(), value);
    }

    @Override
    public Http2Headers scheme(CharSequence value) {
        return set(PseudoHeaderName.SCHEME.value(), value);
    }

    @Override
    public Http2Headers authority(CharSequence value) {
        return set(PseudoHeaderName.AUTHORITY.value(), value);
    }

    @Override
    public Http2Headers path(CharSequence value) {
        return set(PseudoHeaderName.PATH.value(), value);
    }

    @Override
    public Http2Headers status(CharSequence value) {
        return set(PseudoHeaderName.STATUS.value(), value);
    }

    @Override
    public @Nullable CharSequence method() {
        return get(PseudoHeaderName.METHOD.value());
    }

    @Override
    public @Nullable CharSequence scheme() {
        return get(PseudoHeaderName.SCHEME.value());
    }

    @Override
    public @Nullable CharSequence authority() {
        return get(PseudoHeaderName.AUTHORITY.value());
    }

    @Override
    public @Nullable CharSequence path() {
        return get(PseudoHeaderName.PATH.value());
    }

    @Override
    public @Nullable CharSequence status() {
        return get(PseudoHeaderName.STATUS.value());
    }

    @Override
    public Iterator<CharSequence> valueIterator(CharSequence name) {
        return new FlatValues(this, name);
    }

    /** The entries are one object, which shows the field that was asked for last: keep what it gives, not it. */
    @Override
    public Iterator<Map.Entry<CharSequence, CharSequence>> iterator() {
        return new Cursor();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[");
        for (int at = 0; at < used; at += 2) {
            text.append(at == 0 ? "" : ", ").append(slots[at]).append(": ").append(slots[at + 1]);
        }
        return text.append(']').toString();
    }

    private final class Cursor implements Iterator<Map.Entry<CharSequence, CharSequence>>, Map.Entry<CharSequence, CharSequence> {

        private int next;

        @Override
        public boolean hasNext() {
            return next < used;
        }

        @Override
        public Map.Entry<CharSequence, CharSequence> next() {
            if (next >= used) {
                throw new NoSuchElementException();
            }
            next += 2;
            return this;
        }

        @Override
        public void remove() {
            next -= 2;
            removeAt(next);
        }

        @Override
        public CharSequence getKey() {
            return name(next - 2);
        }

        @Override
        public CharSequence getValue() {
            return name(next - 1);
        }

        @Override
        public CharSequence setValue(CharSequence value) {
            CharSequence before = getValue();
            slots[next - 1] = value;
            return before;
        }
    }
}
