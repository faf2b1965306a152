package io.penstock.proxy.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One header field exactly as sent or received. Immutable.
 *
 * @param name as on the wire, in its case
 * @param value as on the wire
 */
public record Header(String name, String value) {

    /** Makes fields from name, value, name, value. */
    public static List<Header> list(String... pairs) {
        if (pairs.length % 2 != 0) {
            throw new IllegalArgumentException("headers: " + pairs.length + " strings (expected: pairs)");
        }
        List<Header> headers = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            headers.add(new Header(pairs[i], pairs[i + 1]));
        }
        return headers;
    }

    /** The first value of a name, whatever its case. */
    static Optional<String> first(List<Header> headers, String name) {
        return headers.stream().filter(h -> h.is(name)).map(Header::value).findFirst();
    }

    /** Every value of a name, whatever its case. */
    static List<String> all(List<Header> headers, String name) {
        return headers.stream().filter(h -> h.is(name)).map(Header::value).toList();
    }

    private boolean is(String other) {
        return name.toLowerCase(Locale.ROOT).equals(other.toLowerCase(Locale.ROOT));
    }

    @Override
    public String toString() {
        return name + ": " + value;
    }
}
