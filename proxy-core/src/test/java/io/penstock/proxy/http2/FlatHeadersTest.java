package io.penstock.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Does what Netty's own headers do, which a random walk of both shows. */
class FlatHeadersTest {

    /** Some of one length, some that share a bit, some as String. */
    private static final CharSequence[] NAMES = {new AsciiString("content-type"), new AsciiString("content-tyre"), "accept", "age",
        new AsciiString("x-request-id"), "x-request-ie", ":path", new AsciiString(":method"), ":authority", "a", "b", "c"};

    private final FlatHeaders head = new FlatHeaders(1);

    private static List<String> lines(Http2Headers headers) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<CharSequence, CharSequence> field : headers) {
            lines.add(field.getKey() + ": " + field.getValue());
        }
        return lines;
    }

    @Test
    void anyRunOfStepsLeavesWhatNettysOwnHeadersHold() {
        Random random = new Random(7);
        for (int walk = 0; walk < 2_000; walk++) {
            Http2Headers ours = new FlatHeaders(random.nextInt(6));
            Http2Headers theirs = new DefaultHttp2Headers(false);
            for (int step = 0; step < 30; step++) {
                CharSequence name = NAMES[random.nextInt(NAMES.length)];
                int kind = random.nextInt(8);
                String value = Integer.toString(random.nextInt(4));
                step(ours, kind, name, value);
                step(theirs, kind, name, value);
                compare(ours, theirs);
            }
        }
    }

    private static void step(Http2Headers headers, int kind, CharSequence name, String value) {
        switch (kind) {
            case 0, 1, 2 -> headers.add(name, value);
            case 3 -> headers.set(name, value);
            case 4 -> headers.remove(name);
            case 5 -> headers.set(name, value, value + 1);
            case 6 -> headers.getAllAndRemove(name);
            default -> headers.setAll(new DefaultHttp2Headers(false).add(name, value).add("b", "z"));
        }
    }

    private static void compare(Http2Headers ours, Http2Headers theirs) {
        assertThat(ours.size()).isEqualTo(theirs.size());
        assertThat(ours.isEmpty()).isEqualTo(theirs.isEmpty());
        for (CharSequence name : NAMES) {
            assertThat(ours.getAll(name)).as("%s of %s", name, ours).isEqualTo(theirs.getAll(name));
            assertThat(ours.get(name)).isEqualTo(theirs.get(name));
            assertThat(ours.contains(name)).isEqualTo(theirs.contains(name));
            assertThat(ours.contains(name, "2")).isEqualTo(theirs.contains(name, "2"));
            assertThat(ours.getInt(name)).isEqualTo(theirs.getInt(name));
        }
        assertThat(lines(ours)).containsExactlyInAnyOrderElementsOf(lines(theirs));
        assertThat(lines(ours).stream().dropWhile(line -> line.startsWith(":")).noneMatch(line -> line.startsWith(":")))
                .as("pseudo headers first: %s", ours).isTrue();
    }

    @Test
    void fieldsStayInTheirOrderAndANewPseudoHeaderGoesBeforeThem() {
        head.add("b", "1").add("a", "2").add("b", "3").method("GET").authority("x").method("PUT");
        assertThat(lines(head)).containsExactly(":method: PUT", ":authority: x", "b: 1", "a: 2", "b: 3");
        head.set("b", "4");
        assertThat(lines(head)).containsExactly(":method: PUT", ":authority: x", "b: 4", "a: 2");
        assertThat(head.toString()).isEqualTo("[:method: PUT, :authority: x, b: 4, a: 2]");
    }

    @Test
    void namesAreToldApartByCaseAsInHttp2() {
        head.add("a", "1");
        assertThat(head.get("A")).isNull();
        assertThat(head.contains("a", "1")).isTrue();
        head.add("t", "Chunked");
        assertThat(head.contains("t", "chunked", true)).isTrue();
        assertThat(head.contains("t", "chunked", false)).isFalse();
    }

    @Test
    void theCursorTakesFieldsOutAsItGoes() {
        head.method("GET").add("a", "1").add("b", "2").add("a", "3");
        Iterator<Map.Entry<CharSequence, CharSequence>> fields = head.iterator();
        while (fields.hasNext()) {
            if (fields.next().getKey().length() == 1) {
                fields.remove();
            }
        }
        assertThat(lines(head)).containsExactly(":method: GET");
        assertThatThrownBy(fields::next).isInstanceOf(NoSuchElementException.class);
        head.add("c", "4").authority("x");
        assertThat(lines(head)).containsExactly(":method: GET", ":authority: x", "c: 4");
    }

    @Test
    void valuesAreReadAsWhatTheyAreOrNotAtAll() {
        head.add("n", "17").add("t", "no number");
        assertThat(head.getLong("n", -1)).isEqualTo(17);
        assertThat(head.getLong("t", -1)).isEqualTo(-1);
        assertThat(head.getInt("none")).isNull();
        assertThat(head.setLong("n", 18).getAndRemove("n")).isEqualTo("18");
        assertThat(head.clear().isEmpty()).isTrue();
    }

    /** The iterator shows all fields through one entry, so whoever copies a head must take names and values out of it. */
    @Test
    void nettysHeadersTakeAllFieldsAlthoughTheirEntryIsOneObject() {
        head.method("GET").add("a", "1").add("b", "2").add("a", "3");
        String[] fields = {":method: GET", "a: 1", "b: 2", "a: 3"};
        assertThat(lines(new DefaultHttp2Headers(false).add(head))).containsExactlyInAnyOrder(fields);
        assertThat(lines(new DefaultHttp2Headers(false).add("a", "0").set(head))).containsExactlyInAnyOrder(fields);
        assertThat(lines(new DefaultHttp2Headers(false).add("a", "0").setAll(head))).containsExactlyInAnyOrder(fields);
        assertThat(lines(new FlatHeaders(1).add(head))).containsExactly(fields);
        assertThat(lines(new FlatHeaders(1).add("a", "0").setAll(head))).containsExactly(fields);
        List<String> each = new ArrayList<>();
        head.forEach(field -> each.add(field.getKey() + ": " + field.getValue()));
        assertThat(each).containsExactly(fields);
    }
}
