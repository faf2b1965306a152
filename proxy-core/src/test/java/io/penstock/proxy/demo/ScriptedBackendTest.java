package io.penstock.proxy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.LeakPresenceDetector;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ScriptedBackendTest {

    private final ScriptedBackend backend = ScriptedBackend.start();
    private final List<WireClient> clients = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (WireClient client : clients) {
            client.close();
        }
        backend.close();
    }

    @AfterAll
    static void nothingLeaks() {
        LeakPresenceDetector.check();
    }

    private WireClient client() {
        WireClient client = new WireClient(backend.port());
        clients.add(client);
        return client;
    }

    private WireClient ask() throws IOException {
        return client().sendPost("/v1/chat/completions", "{}");
    }

    @Test
    void heldRequestsRunUntilTheyAreReleased() throws IOException {
        backend.hold();
        WireClient first = ask();
        backend.awaitRunning(1);
        WireClient second = ask();
        backend.awaitRunning(2);

        backend.releaseOne().awaitRunning(1);
        assertThat(first.answer().status()).isEqualTo(200);

        backend.release().awaitRunning(0);
        assertThat(second.answer().body()).contains("one two three four");
    }

    @Test
    void aGateInTheMiddleOfAStreamHoldsTheRestOfIt() throws IOException {
        backend.answer(Script.empty().streamHead().chunk("data: a\n\n").hold("second").chunk("data: b\n\n").lastChunk());
        WireClient client = ask();
        client.readThrough("data: a\n\n\r\n");
        assertThat(backend.running()).isOne();

        backend.release("second");

        assertThat(client.readThrough("0\r\n\r\n")).isEqualTo("9\r\ndata: b\n\n\r\n0\r\n\r\n");
    }

    @Test
    void aResetAfterSoManyBytesLetsExactlyThemOut() throws IOException {
        backend.answer(Script.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").dieAt(41, true));
        WireClient client = ask();
        assertThat(client.readThrough("hel")).hasSize(41);
        assertThatThrownBy(client::readHead).isInstanceOf(SocketException.class);
        backend.awaitRunning(0).awaitOpenConnections(0);
        assertThat(backend.disconnects()).isZero();
    }

    @Test
    void aFinAfterSoManyBytesLetsExactlyThemOut() throws IOException {
        backend.answer(Script.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").send("hello").dieAt(40, false));
        assertThat(ask().readToEnd()).isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
    }

    @Test
    void deathAtByteZeroSendsNothing() throws IOException {
        backend.answer(Script.chat("x").dieAt(0, false));
        assertThat(ask().readToEnd()).isEmpty();
    }

    @Test
    void bytesArriveAsTheyWereScriptedOneByOne() throws IOException {
        String event = "data: \uD83D\uDE00\n\n";
        Script script = Script.empty().streamHead().chunk(event).byteByByte(Duration.ofNanos(1)).send("c\r\ndata: [DONE]\r\n0\r\n\r\n");
        backend.answer(script);
        WireClient client = ask();
        client.readHead();
        assertThat(client.readThrough("0\r\n\r\n")).isEqualTo("c\r\n" + event + "\r\nc\r\ndata: [DONE]\r\n0\r\n\r\n");
    }

    @Test
    void headersGoOutInTheirCaseAndNumberWithInterimResponsesAndTrailers() throws IOException {
        backend.answer(Script.empty().head(103, "X-LLM-D-Flow-Band-Headroom-Requests: 1")
                .streamHead("X-llm-d-flow-band-headroom-requests: 2", "x-llm-d-flow-band-headroom-requests: 3")
                .chunk("x").lastChunk("X-T: 4"));
        WireClient client = ask();
        assertThat(client.readHead()).isEqualTo("HTTP/1.1 103 Scripted\r\nX-LLM-D-Flow-Band-Headroom-Requests: 1\r\n\r\n");
        assertThat(client.readHead()).contains("X-llm-d-flow-band-headroom-requests: 2\r\nx-llm-d-flow-band-headroom-requests: 3\r\n");
        assertThat(client.readThrough("4\r\n\r\n")).isEqualTo("1\r\nx\r\n0\r\nX-T: 4\r\n\r\n");
    }

    @Test
    void anEarlyAnswerComesBeforeTheBodyAndTheConnectionGoesOnAfterIt() throws IOException {
        backend.answerNext(Script.json(503, "{}").early());
        WireClient client = client().send("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab");
        assertThat(client.answer().status()).isEqualTo(503);
        client.send("cd").sendPost("/", "{}");
        assertThat(client.answer().status()).isEqualTo(200);
        assertThat(backend.connections()).isOne();
    }

    @Test
    void aSilentBackendCountsTheClientThatGivesUp() throws IOException {
        backend.answer(Script.never());
        WireClient client = ask();
        backend.awaitRunning(1).awaitCompleteRequests(1);
        client.reset();
        backend.awaitDisconnects(1).awaitRunning(0).awaitOpenConnections(0);
    }

    @Test
    void aHeldClientThatLeavesIsForgotten() throws IOException {
        backend.hold();
        WireClient client = ask();
        backend.awaitRunning(1);
        client.close();
        backend.awaitDisconnects(1);
        WireClient next = ask();
        backend.awaitRunning(1).releaseOne();
        assertThat(next.answer().status()).isEqualTo(200);
    }

    @Test
    void requestsAreKeptWithTheirHeadBodyHashAndTrailers() throws IOException {
        client().send("POST /p?q HTTP/1.1\r\nX-One: 1\r\nx-one: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n0\r\nX-End: 9\r\n\r\n").answer();
        SeenRequest seen = backend.requests().get(0);
        assertThat(seen.method() + ' ' + seen.uri()).isEqualTo("POST /p?q");
        assertThat(seen.headers("X-ONE")).containsExactly("1", "2");
        assertThat(seen.header("nothing")).isNull();
        assertThat(seen.bodyBytes()).isEqualTo(3);
        assertThat(seen.bodySha256()).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(seen.trailers()).hasToString("[X-End=9]");
    }

    @Test
    void rulesAndNextAnswersChooseByRequest() throws IOException {
        backend.answerWhen(seen -> "yes".equals(seen.header("x-fail")), Script.json(500, "{}")).answerNext(Script.json(502, "{}"));
        WireClient client = client();
        assertThat(client.sendPost("/", "", "X-Fail: yes").answer().status()).isEqualTo(502);
        assertThat(client.sendPost("/", "", "X-Fail: yes").answer().status()).isEqualTo(500);
        assertThat(client.sendPost("/", "").answer().status()).isEqualTo(200);
    }

    @Test
    void anIdleConnectionIsClosedAfterItsTimeAndNotBefore() throws IOException {
        backend.idleTimeout(Duration.ofMillis(300)).hold();
        WireClient client = ask();
        backend.awaitRunning(1);
        long released = System.nanoTime();
        backend.release();
        assertThat(client.answer().status()).isEqualTo(200);
        assertThat(client.readToEnd()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - released)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }

    @Test
    void itRefusesConnectionsAndComesBackOnTheSamePort() throws IOException {
        WireClient before = client();
        int port = backend.port();
        backend.awaitOpenConnections(1).refuse();
        assertThatThrownBy(() -> new WireClient(port)).hasCauseInstanceOf(ConnectException.class);
        assertThat(before.sendPost("/", "").answer().status()).isEqualTo(200);

        backend.resetConnections();
        assertThatThrownBy(before::readHead).isInstanceOf(IOException.class);
        backend.listen();

        assertThat(backend.port()).isEqualTo(port);
        assertThat(ask().answer().status()).isEqualTo(200);
    }

    @Test
    void brokenHttpIsRefusedAndDoesNotReachAScript() throws IOException {
        assertThat(client().send("BROKEN\r\n\r\n").readToEnd()).startsWith("HTTP/1.1 400 ");
        assertThat(backend.requests()).isEmpty();
    }

    @Test
    void aChatStreamHasVllmsShape() throws IOException {
        backend.answer(Script.chatStream("hello world"));
        String body = ask().answer().body();
        assertThat(body).startsWith("data: {\"id\":\"chatcmpl-").endsWith("data: [DONE]\n\n");
        assertThat(body.split("\n\n")).hasSize(5);
    }
}
