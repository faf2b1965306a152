package io.penstock.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Refuses of a peer's fields what Netty's own headers refuse, character by character. */
class CappedHeadersTest {

    private static final int LATIN = 256;

    private static CappedHeaders head() {
        return new CappedHeaders(4, 100);
    }

    /** Netty throws a checked exception unseen by the compiler, ours an unchecked one. */
    private static boolean takes(Http2Headers headers, CharSequence name, CharSequence value) {
        try {
            headers.add(name, value);
            return true;
        } catch (Exception refused) {
            return false;
        }
    }

    private static void sameAsNetty(String name, String value) {
        for (boolean ascii : new boolean[] {true, false}) {
            CharSequence key = ascii ? new AsciiString(name) : name;
            CharSequence text = ascii ? new AsciiString(value) : value;
            assertThat(takes(head(), key, text)).as("%s: %s", name, value).isEqualTo(takes(new DefaultHttp2Headers(true), key, text));
        }
    }

    @Test
    void everyCharacterOfANameIsTakenOrRefusedAsByNetty() {
        for (int c = 0; c < LATIN; c++) {
            sameAsNetty(String.valueOf((char) c), "v");
            sameAsNetty("a" + (char) c, "v");
            sameAsNetty(":" + (char) c, "v");
        }
        sameAsNetty("", "v");
        assertThat(takes(head(), "\u0161", "v")).isFalse();
    }

    @Test
    void everyCharacterOfAValueIsTakenOrRefusedAsByNetty() {
        for (int c = 0; c < LATIN; c++) {
            sameAsNetty("a", String.valueOf((char) c));
            sameAsNetty("a", "v" + (char) c + "w");
            sameAsNetty("a", "v" + (char) c);
            sameAsNetty(":path", "/" + (char) c);
        }
        sameAsNetty("a", "");
    }

    @Test
    void pseudoHeadersAreKnownFilledAndNotRepeated() {
        for (String name : List.of(":method", ":scheme", ":authority", ":path", ":status", ":protocol", ":port", ":", "path")) {
            sameAsNetty(name, "v");
            sameAsNetty(name, "");
        }
        CappedHeaders head = head();

        assertThat(takes(head, ":path", "/a")).isTrue();
        assertThat(takes(head, ":path", "/b")).isFalse();
        assertThat(takes(head, "path", "/a") && takes(head, "path", "/b")).isTrue();
        assertThat(head.getAll(":path")).containsExactly("/a");
    }
}
