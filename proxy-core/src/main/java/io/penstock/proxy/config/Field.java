package io.penstock.proxy.config;

import io.penstock.flow.config.GoDuration;
import io.penstock.proxy.config.ProxyConfig.HostPort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The value of one key, or its absence, read as the type that its reader expects. What does not fit is reported at its place and read as
 * absent, so that reading goes on and every problem is found. A YAML null is an absent value, as in llm-d. One thread.
 */
final class Field {

    private static final Pattern LEADING_ZERO = Pattern.compile("[-+]?0[0-9]+");

    private final Reading reading;
    private final String path;
    private final Location at;
    private final @Nullable YamlValue value;

    Field(Reading reading, String path, Location at, @Nullable YamlValue value) {
        this.reading = reading;
        this.path = path;
        this.at = value instanceof YamlValue.Scalar ? value.at() : at;
        this.value = value instanceof YamlValue.Scalar scalar && scalar.kind() == ScalarKind.NULL ? null : value;
    }

    /** Of a document's root. */
    static Field root(Reading reading, YamlValue value) {
        return new Field(reading, "", value.at(), value);
    }

    boolean present() {
        return value != null;
    }

    /** Where a scalar stands; of a map, a list and an absent value the place of the key. */
    Location at() {
        return at;
    }

    String path() {
        return path;
    }

    @Nullable YamlValue value() {
        return value;
    }

    Reading reading() {
        return reading;
    }

    void error(String message) {
        reading.error(at, path + ": " + message);
    }

    void problem(boolean fatal, String message) {
        if (fatal) {
            error(message);
        } else {
            warning(message);
        }
    }

    void warning(String message) {
        reading.warning(at, path + ": " + message);
    }

    void notice(String message) {
        reading.notice(at, path + ": " + message);
    }

    /** Reports that the value is not what it should be. */
    void unexpected(String expected) {
        if (value != null) {
            error(Text.shown(value) + " (expected: " + expected + ')');
        }
    }

    @Nullable String text() {
        if (value instanceof YamlValue.Scalar scalar && scalar.kind() == ScalarKind.TEXT) {
            return scalar.text();
        }
        unexpected(value instanceof YamlValue.Scalar ? "a string, so in quotes" : "a string");
        return null;
    }

    String text(String fallback) {
        String text = text();
        return text == null ? fallback : text;
    }

    /** A string that is not empty. */
    @Nullable String name() {
        String text = text();
        if (text != null && text.isBlank()) {
            unexpected("a name");
            return null;
        }
        return text;
    }

    boolean flag(boolean fallback) {
        if (value instanceof YamlValue.Scalar scalar) {
            if (scalar.kind() == ScalarKind.OLD_BOOLEAN) {
                notice(scalar.text() + " is read as " + ScalarKind.isTrue(scalar.text()));
                return ScalarKind.isTrue(scalar.text());
            }
            if (scalar.kind() == ScalarKind.BOOLEAN) {
                return ScalarKind.isTrue(scalar.text());
            }
        }
        unexpected("true or false");
        return fallback;
    }

    int integer(int fallback, int least, int most) {
        String expected = least == Integer.MIN_VALUE ? "a whole number of 32 bits" : least + ".." + most;
        if (value instanceof YamlValue.Scalar scalar && scalar.kind() == ScalarKind.INTEGER && isDecimal(scalar)) {
            try {
                int number = Integer.parseInt(scalar.text());
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException ignored) {
                // too long for an int; said below
            }
        }
        unexpected(expected);
        return fallback;
    }

    /** A quantity of {@code least} or more; what is beyond {@code most} is an error. */
    long size(long fallback, long least, long most) {
        Long number = quantity();
        if (number == null) {
            return fallback;
        }
        if (number < least || number > most) {
            unexpected(least + ".." + most);
            return fallback;
        }
        return number;
    }

    /** A quantity of any sign. */
    @Nullable Long quantity() {
        if (value instanceof YamlValue.Scalar scalar && isDecimal(scalar)) {
            try {
                return Quantity.parse(scalar.text());
            } catch (NumberFormatException ignored) {
                // said below
            }
        }
        unexpected("a quantity such as 100, 1k or 1Gi");
        return null;
    }

    boolean is(String word) {
        return value instanceof YamlValue.Scalar scalar && scalar.text().equals(word);
    }

    /** Nanoseconds from {@code least} to {@code most}, or null. */
    @Nullable Long nanos(long least, long most) {
        if (!(value instanceof YamlValue.Scalar scalar) || scalar.kind() != ScalarKind.TEXT) {
            unexpected("a Go duration with its unit, such as 300ms or 1m30s");
            return null;
        }
        long nanos = GoDuration.tryParseNanos(scalar.text());
        if (nanos == GoDuration.INVALID) {
            unexpected("a Go duration such as 300ms or 1m30s");
            return null;
        }
        if (nanos < least || nanos > most) {
            String range = least == 1 ? "more than 0s" : GoDuration.format(least) + " or more";
            unexpected(most == Long.MAX_VALUE ? range : range + ", at most " + GoDuration.format(most));
            return null;
        }
        return nanos;
    }

    @Nullable HostPort address() {
        String text = text();
        HostPort address = text == null ? null : Addresses.parse(text);
        if (text != null && address == null) {
            unexpected("host:port such as 0.0.0.0:8080 or [::1]:8080");
        }
        return address;
    }

    String choice(String fallback, String... allowed) {
        String text = text();
        if (text == null || Arrays.asList(allowed).contains(text)) {
            return text == null ? fallback : text;
        }
        String near = allowed.length == 1 ? null : Text.nearest(text, List.of(allowed));
        unexpected(String.join(", ", allowed) + (near == null ? "" : "; did you mean " + near + "?"));
        return fallback;
    }

    /** The items of a list; none when it is absent. */
    List<Field> items() {
        if (!(value instanceof YamlValue.Sequence sequence)) {
            unexpected("a list");
            return List.of();
        }
        List<Field> items = new ArrayList<>();
        for (YamlValue item : sequence.items()) {
            items.add(new Field(reading, path + '[' + items.size() + ']', item.at(), item));
        }
        return items;
    }

    /** Reads a map's keys with {@code body}, then reports those that it did not ask for; null when this is no map. */
    <T> @Nullable T map(Function<Section, T> body) {
        if (!(value instanceof YamlValue.Mapping mapping)) {
            unexpected("a map");
            return null;
        }
        Section section = new Section(this, mapping);
        T read = body.apply(section);
        section.refuseUnknownKeys();
        return read;
    }

    /** As {@link #map}, for its problems alone. */
    void open(Consumer<Section> body) {
        map(section -> {
            body.accept(section);
            return section;
        });
    }

    /** YAML 1.1 reads 010 as 8, other readers as 10. */
    private static boolean isDecimal(YamlValue.Scalar scalar) {
        return !scalar.plain() || !LEADING_ZERO.matcher(scalar.text()).matches();
    }
}
