package io.penstock.proxy.downstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.LeakPresenceDetector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What HTTP/1.1 requests are refused, with what, and that the connection does not outlive it. */
class Http1RefusalTest {

    private static TestProxy proxy;

    @BeforeAll
    static void start() {
        proxy = new TestProxy();
    }

    @AfterAll
    static void stop() {
        assertThat(proxy.requests.requests).isEmpty();
        proxy.close();
        LeakPresenceDetector.check();
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
        "400, `GET / HTTP/1.1~~`",
        "400, `GET / HTTP/1.1~Host: a~Host: b~~`",
        "400, `GET / HTTP/1.1~Host: a~Host: a~~`",
        "400, `GET / HTTP/1.1~Host:~~`",
        "400, `GET http://b/ HTTP/1.1~Host: a~~`",
        "400, `GET x HTTP/1.1~Host: a~~`",
        "400, `GET * HTTP/1.1~Host: a~~`",
        "400, `GET / HTTP/1.1~Host: a~X: b~ c~~`",
        "400, `GET / HTTP/1.1~Host: a~X: b~\tc: d~~`",
        "400, `GET / HTTP/1.1~ Host: a~~`",
        "400, `GET / HTTP/2.0~Host: a~~`",
        "426, `GET / HTTP/1.0~Host: a~~`",
        "400, `garbage~~`",
        "400, `POST / HTTP/1.1~Host: a~Content-Length: 4~Transfer-Encoding: chunked~~0~~`",
        "400, `POST / HTTP/1.1~Host: a~Content-Length: 4~Content-Length: 4~~abcd`",
        "400, `POST / HTTP/1.1~Host: a~Content-Length: +4~~abcd`",
        "400, `POST / HTTP/1.1~Host: a~Content-Length: -1~~abcd`",
        "400, `POST / HTTP/1.1~Host: a~Content-Length : 4~~abcd`",
        "501, `POST / HTTP/1.1~Host: a~Transfer-Encoding: gzip, chunked~~0~~`",
        "400, `GET / HTTP/1.1~Host: a~Connection: Authorization~~`",
        "400, `GET / HTTP/1.1~Host: a~Connection: x, X-Forwarded-For~~`",
        "400, `GET / HTTP/1.1~Host: a~Connection: Content-Length~~`",
        "400, `GET / HTTP/1.1~Host: a~Connection: host~~`",
        "403, `GET / HTTP/1.1~Host: a~Connection: upgrade~Upgrade: websocket~~`",
        "403, `CONNECT a:443 HTTP/1.1~Host: a:443~~`"})
    void isRefusedAndTheConnectionCloses(int status, String request) {
        try (Http1Probe client = new Http1Probe(proxy.address())) {
            String answer = client.send(request.replace("~", "\r\n")).rest();

            assertThat(answer).startsWith("HTTP/1.1 " + status + ' ').contains("connection: close")
                    .contains("content-type: application/json").endsWith("\"param\":null,\"code\":" + status + "}}");
        }
    }

    @Test
    void aFoldedLineIsSeenHoweverTheBytesCome() {
        try (Http1Probe client = new Http1Probe(proxy.address())) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n");
            try (Http1Probe other = new Http1Probe(proxy.address())) {
                assertThat(other.send("garbage\r\n\r\n").rest()).contains(" 400 ");
            }
            assertThat(client.send(" c\r\n\r\n").rest()).startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void anUpgradeIsOfferedToOldClients() {
        try (Http1Probe client = new Http1Probe(proxy.address())) {
            assertThat(client.send("GET / HTTP/1.0\r\n\r\n").rest()).contains("upgrade: HTTP/1.1\r\n", "connection: close, upgrade\r\n");
        }
    }

    @Test
    void tooManyOrTooLargeHeadersAre431() {
        try (Http1Probe client = new Http1Probe(proxy.address())) {
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n" + "x: y\r\n".repeat(100) + "\r\n").rest()).startsWith("HTTP/1.1 431 ");
        }
        try (Http1Probe client = new Http1Probe(proxy.address())) {
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\nx: " + "y".repeat(70_000) + "\r\n\r\n").rest())
                    .startsWith("HTTP/1.1 431 ");
        }
        try (Http1Probe client = new Http1Probe(proxy.address())) {
            assertThat(client.send("GET /" + "y".repeat(10_000) + " HTTP/1.1\r\nHost: a\r\n\r\n").rest()).startsWith("HTTP/1.1 414 ");
        }
    }

    @Test
    void aBrokenChunkAfterTheAnswerHasBegunJustCloses() {
        try (Http1Probe client = new Http1Probe(proxy.address())) {
            client.send("POST /hang HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");

            assertThat(client.rest()).startsWith("HTTP/1.1 400 ");
            assertThat(proxy.requests.closed).containsExactly("/hang PROTOCOL_ERROR");
            proxy.requests.requests.clear();
        }
    }
}
