package io.penstock.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.proxy.http2.FlatHeaders;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RequestIdsTest {

    @Test
    void anOwnIdIsARandomUuidInItsUsualForm() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            String id = RequestIds.random().toString();
            UUID uuid = UUID.fromString(id);

            assertThat(uuid).hasToString(id);
            assertThat(uuid.version()).isEqualTo(4);
            assertThat(uuid.variant()).isEqualTo(2);
            assertThat(seen.add(id)).isTrue();
        }
    }

    @Test
    void everyDigitOfItComesFromChance() {
        // A place that is fixed stays so in a thousand ids; one that is not shows fewer than two digits with a chance of 16^-999.
        for (int place = 0; place < 36; place++) {
            Set<Character> digits = new HashSet<>();
            for (int i = 0; i < 1_000; i++) {
                digits.add(RequestIds.random().charAt(place));
            }
            boolean fixed = place == 8 || place == 13 || place == 18 || place == 23 || place == 14;
            assertThat(digits.size() == 1).as("place %d: %s", place, digits).isEqualTo(fixed);
        }
    }

    @Test
    void aClientsOwnIdIsKeptUnlessItIsEmptyOrTooLong() {
        Http2Headers head = new FlatHeaders(2).add(HeaderNames.REQUEST_ID, "a").add(HeaderNames.REQUEST_ID, "b");

        assertThat(RequestIds.of(head).toString()).isEqualTo("a");
        assertThat(head.getAll(HeaderNames.REQUEST_ID)).containsExactly(new AsciiString("a"));
        assertThat(RequestIds.of("x".repeat(256)).toString()).isEqualTo("x".repeat(256));
        assertThat(RequestIds.of("x".repeat(257)).length()).isEqualTo(36);
        assertThat(RequestIds.of("").length()).isEqualTo(36);
    }
}
