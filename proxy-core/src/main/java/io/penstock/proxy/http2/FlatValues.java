package io.penstock.proxy.http2;

import java.util.Iterator;
import java.util.NoSuchElementException;

/** The values of one name, looked up as they are asked for: mostly there is one, and a list for it would be waste. One event loop. */
final class FlatValues implements Iterator<CharSequence> {

    private final FlatHeaders headers;
    private final CharSequence name;
    private int next;

    FlatValues(FlatHeaders headers, CharSequence name) {
        this.headers = headers;
        this.name = name;
        next = headers.find(name, 0);
    }

    @Override
    public boolean hasNext() {
        return next >= 0;
    }

    @Override
    public CharSequence next() {
        if (next < 0) {
            throw new NoSuchElementException();
        }
        CharSequence value = headers.value(next);
        next = headers.find(name, next + 2);
        return value;
    }
}
