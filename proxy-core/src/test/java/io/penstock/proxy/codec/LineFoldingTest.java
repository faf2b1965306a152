package io.penstock.proxy.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineFoldingTest {

    private static boolean found(String head, boolean begun) {
        return LineFolding.found(Unpooled.copiedBuffer(head, StandardCharsets.US_ASCII), begun);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA: b\n\tc\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\n a: b"})
    void aFoldedLineIsFound(String head) {
        assertThat(found(head, false)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HTTP/1.1", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nA: b c\r\nD:  e\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\r\n\r\n body\r\n more", "GET / HTTP/1.1\n\n body\n more"})
    void whatIsNotFoldedOrNotInTheHeadIsNot(String head) {
        assertThat(found(head, false)).isFalse();
    }

    @Test
    void aHeadThatGoesOnBeginsAtALine() {
        assertThat(found(" c\r\n", true)).isTrue();
        assertThat(found("\r\n body\r\n x", true)).isFalse();
        assertThat(found("C: d\r\n\te\r\n", true)).isTrue();
    }
}
