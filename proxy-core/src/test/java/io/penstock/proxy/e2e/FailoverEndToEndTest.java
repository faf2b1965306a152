package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.admin.EndpointRow;
import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.demo.SeenRequest;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a failing backend costs: nothing where the request can go elsewhere, an honest error where it cannot, never a second delivery. */
class FailoverEndToEndTest {

    private static final String PICKER = RunningProxy.PICKER.formatted(64) + "  priorityBands: [{priority: 0, maxRequests: 100}]\n";
    private static final String ONE_EACH = RunningProxy.PICKER.formatted(1) + "  priorityBands: [{priority: 0, maxRequests: 1}]\n";

    private final ScriptedBackend one = ScriptedBackend.start();
    private final ScriptedBackend two = ScriptedBackend.start();
    private final ScriptedBackend three = ScriptedBackend.start();

    @AfterEach
    void close() {
        one.close();
        two.close();
        three.close();
    }

    private static RunningProxy proxy(int loops, ScriptedBackend... backends) {
        return RunningProxy.start(loops, List.of(backends), "", PICKER);
    }

    private static List<String> health(RunningProxy proxy) {
        return proxy.proxy.endpoints().stream().map(EndpointRow::health).toList();
    }

    // A backend that dies.

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBackendThatDiesBeforeItsHeadIsA503InJson(boolean byReset) throws Exception {
        one.answer(Script.json(200, "{}").dieAt(0, byReset));
        try (RunningProxy proxy = proxy(1, one); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            Http2Response response = http2.response(Calls.post(http2));
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.header("content-type")).hasValue("application/json");
            assertThat(response.text()).contains("\"code\":503", "\"type\":\"InternalServerError\"").doesNotContain("127.0.0.1");
            assertThat(response.header("content-length")).hasValue(Integer.toString(response.body().length));
            assertThat(response.header(Calls.HEADROOM)).hasValue("100");
            assertThat(response.header(Calls.REASON)).isEmpty();
            Calls.post(http1);
            Http1Response second = http1.response();
            assertThat(second.status()).isEqualTo(503);
            assertThat(second.text()).isEqualTo(response.text());
            assertThat(one.requests()).as("each was delivered once").hasSize(2);
            proxy.awaitQuiet();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBackendThatDiesAfterItsHeadNeverLooksLikeAnEnd(boolean byReset) throws Exception {
        Script dying = Script.empty().streamHead().chunk("data: 1\n\n").hold("gate");
        one.answer(byReset ? dying.reset() : dying.fin());
        try (RunningProxy proxy = proxy(1, one, two); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            two.answer(byReset ? dying.reset() : dying.fin());
            int stream = Calls.post(http2);
            Calls.awaitData(http2, stream, "data: 1\n\n");
            Calls.post(http1);
            assertThat(http1.head().status()).isEqualTo(200);
            assertThat(Calls.text(http1.chunk())).isEqualTo("data: 1\n\n");
            one.release("gate");
            two.release("gate");
            assertThat(http2.response(stream).resetCode()).isEqualTo(Http2Frame.INTERNAL_ERROR);
            assertThat(http1.untilEof()).as("no last chunk").isEmpty();
            assertThat(one.requests().size() + two.requests().size()).as("no second delivery").isEqualTo(2);
            proxy.awaitQuiet();
        }
    }

    @Test
    void anHttp1ClientSeesTheHeadOfAnAnswerThatDiesInTheSameMoment() throws Exception {
        one.answer(Script.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n").reset());
        try (RunningProxy proxy = proxy(1, one)) {
            for (int i = 0; i < 50; i++) {
                try (Http1RawClient client = proxy.http1()) {
                    Calls.post(client);
                    Http1Response response = client.response();
                    assertThat(response.status()).as("it must not look like a request that nobody got").isEqualTo(200);
                    assertThat(response.text()).isEqualTo("hello");
                    assertThat(response.complete()).isFalse();
                }
            }
            proxy.awaitQuiet();
        }
    }

    @Test
    void anAnswerShorterThanItsLengthIsReset() throws Exception {
        one.answer(Script.empty().head(200, "Content-Length: 10").send("12345").hold("gate").fin());
        try (RunningProxy proxy = proxy(1, one); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            int stream = Calls.post(http2);
            Calls.awaitData(http2, stream, "12345");
            Calls.post(http1);
            one.awaitRunning(2);
            one.release("gate");
            assertThat(http2.response(stream).complete()).isFalse();
            assertThat(http1.response().complete()).isFalse();
            proxy.awaitQuiet();
        }
    }

    @Test
    void aBodyThatEndsWithItsConnectionIsWhole() throws Exception {
        one.answer(Script.empty().head(200).send("to the end").fin());
        try (RunningProxy proxy = proxy(1, one); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            assertThat(http2.response(Calls.post(http2)).text()).isEqualTo("to the end");
            Calls.post(http1);
            assertThat(http1.response().text()).isEqualTo("to the end");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"})
    void aMalformedAnswerIsA502AndNotSentAgain(String answer) throws Exception {
        one.answer(Script.raw(answer));
        two.answer(Script.raw(answer));
        try (RunningProxy proxy = proxy(1, one, two); Http2RawClient client = proxy.http2()) {
            Http2Response response = client.response(Calls.post(client));
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).contains("\"code\":502");
            assertThat(one.requests().size() + two.requests().size()).isOne();
            proxy.awaitQuiet();
        }
    }

    // Failover.

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void twoDeadEndpointsOfThreeCostNoRequest(int loops) throws Exception {
        one.refuse();
        three.refuse();
        try (RunningProxy proxy = proxy(loops, one, two, three)) {
            List<Http2RawClient> clients = new ArrayList<>();
            try {
                for (int i = 0; i < 4; i++) {
                    clients.add(proxy.http2());
                }
                List<Integer> streams = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    streams.add(Calls.post(clients.get(i % 4)));
                }
                for (int i = 0; i < 100; i++) {
                    assertThat(clients.get(i % 4).response(streams.get(i)).status()).as("request %d", i).isEqualTo(200);
                }
            } finally {
                clients.forEach(Http2RawClient::close);
            }
            assertThat(two.requests()).hasSize(100);
            assertThat(health(proxy)).containsExactly("ejected", "healthy", "ejected");
            proxy.awaitQuiet();
            assertThat(proxy.band(0).dispatchedTotal()).as("a request that is sent again is dispatched once").isEqualTo(100);
        }
    }

    @Test
    void theOnlyEndpointIsTriedHoweverOftenItFailed() throws Exception {
        one.refuse();
        try (RunningProxy proxy = proxy(1, one); Http2RawClient client = proxy.http2()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.response(Calls.post(client)).status()).isEqualTo(503);
            }
            assertThat(health(proxy)).containsExactly("ejected");
            one.listen();
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(200);
            assertThat(health(proxy)).containsExactly("healthy");
            proxy.awaitQuiet();
        }
    }

    @Test
    void errorsInAnAnswerNeverPutAnEndpointOut() throws Exception {
        try (RunningProxy proxy = proxy(1, one, two); Http2RawClient client = proxy.http2()) {
            for (int status : new int[] {400, 404, 422, 429, 500, 503}) {
                one.answer(Script.json(status, "{}"));
                two.answer(Script.json(status, "{}"));
                for (int i = 0; i < 20; i++) {
                    assertThat(client.response(Calls.post(client)).status()).isEqualTo(status);
                }
            }
            assertThat(health(proxy)).containsOnly("healthy");
            assertThat(one.requests().size() + two.requests().size()).as("none is sent again").isEqualTo(120);
        }
    }

    @Test
    void aLargeBodyThatWasNotSentYetGoesToTheNextEndpoint() throws Exception {
        byte[] body = new byte[200 << 10];
        new Random(5).nextBytes(body);
        try (ServerSocket hole = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> filling = CancelEndToEndTest.fill(hole);
            String endpoints = "endpoints: [" + SocketBackend.endpoint("a", hole.getLocalPort()) + ", "
                    + SocketBackend.endpoint("b", one.port()) + "]\nupstream: {connectTimeout: 500ms}\n";
            try (RunningProxy proxy = RunningProxy.start(1, List.of(), endpoints, PICKER); Http2RawClient http2 = proxy.http2();
                    Http1RawClient http1 = proxy.http1()) {
                for (int i = 0; i < 2; i++) {
                    int stream = http2.open(Calls.head("POST"));
                    http2.body(stream, body, true);
                    assertThat(http2.response(stream).status()).isEqualTo(200);
                }
                http1.send(Calls.http1("POST", body.length));
                http1.send(body);
                assertThat(http1.response().status()).isEqualTo(200);
                String sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
                assertThat(one.requests()).hasSize(3).extracting(SeenRequest::bodySha256).containsOnly(sum);
                proxy.awaitQuiet();
            } finally {
                for (Socket socket : filling) {
                    socket.close();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void requestsThatFindAllOthersFullWaitAheadOfTheirBandAndTakeNoPlace(int loops) throws Exception {
        try (RunningProxy proxy = RunningProxy.start(loops, List.of(one, two), "", ONE_EACH); Http2RawClient client = proxy.http2()) {
            one.hold();
            two.hold();
            List<Integer> streams = new ArrayList<>(List.of(Calls.post(client, "x-number", "0")));
            Awaitility.await().until(() -> one.running() + two.running() == 1);
            ScriptedBackend busy = one.running() == 1 ? one : two;
            ScriptedBackend dead = busy == one ? two : one;
            dead.refuse();
            for (int i = 1; i <= 3; i++) {
                streams.add(Calls.post(client, "x-number", Integer.toString(i)));
                int failures = i;
                Awaitility.await().until(() -> proxy.metric("penstock_upstream_retries_total") == failures);
            }
            assertThat(proxy.band(0).requests()).as("what was dispatched once is not charged again").isZero();
            streams.add(Calls.post(client, "x-number", "4"));
            proxy.awaitWaiting(0, 1);
            assertThat(client.response(Calls.post(client)).status()).as("the place is taken").isEqualTo(429);
            busy.release();
            for (int stream : streams) {
                assertThat(client.response(stream).status()).isEqualTo(200);
            }
            assertThat(busy.requests()).extracting(seen -> seen.header("x-number")).containsExactly("0", "1", "2", "3", "4");
            proxy.awaitQuiet();
        }
    }

    // Kept-alive connections.

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKeptConnectionThatDiesUnderARequestCostsNothing(boolean byReset) throws Exception {
        byte[] body = "{\"prompt\":\"hello\"}".getBytes(StandardCharsets.US_ASCII);
        try (RunningProxy proxy = proxy(1, one); Http2RawClient client = proxy.http2()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.response(Calls.post(client)).status()).isEqualTo(200);
                one.answerNext(Script.json(200, "{}").dieAt(0, byReset), Script.json(200, "\"again\""));
                int connections = one.connections();
                Http2Response response = client.response(client.request(body, Calls.head("POST")));
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.text()).isEqualTo("\"again\"");
                assertThat(one.connections()).as("on a fresh one").isGreaterThan(connections);
            }
            List<SeenRequest> seen = one.requests();
            assertThat(seen).hasSize(60);
            assertThat(seen.get(59).bodySha256()).isEqualTo(seen.get(58).bodySha256()).isNotEmpty();
            assertThat(health(proxy)).as("that says nothing of the server").containsExactly("healthy");
            proxy.awaitQuiet();
            assertThat(proxy.band(0).dispatchedTotal()).isEqualTo(40);
        }
    }

    @Test
    void aRequestThatDiesTwiceIsNotSentAThirdTime() throws Exception {
        try (RunningProxy proxy = proxy(1, one); Http2RawClient client = proxy.http2()) {
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(200);
            one.answer(Script.json(200, "{}").dieAt(0, true));
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(503);
            assertThat(one.requests()).hasSize(3);
            proxy.awaitQuiet();
        }
    }

    @Test
    void aDeliveredRequestIsNotDeliveredAgain() throws Exception {
        one.answer(Script.json(200, "{}").dieAt(0, true));
        two.answer(Script.json(200, "{}").dieAt(0, true));
        try (RunningProxy proxy = proxy(1, one, two); Http2RawClient client = proxy.http2()) {
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(503);
            assertThat(one.requests().size() + two.requests().size()).isOne();
        }
    }

    @Test
    void aKeptConnectionThatWasClosedWhileIdleIsNotUsed() throws Exception {
        try (RunningProxy proxy = proxy(1, one); Http2RawClient client = proxy.http2()) {
            for (int i = 0; i < 10; i++) {
                assertThat(client.response(Calls.post(client)).status()).isEqualTo(200);
                one.closeConnections();
            }
            assertThat(one.requests()).hasSize(10);
        }
    }

    // A backend that answers early.

    @Test
    void anAnswerBeforeTheEndOfTheBodyPasses() throws Exception {
        one.answer(Script.json(400, "{\"early\":true}").early());
        try (RunningProxy proxy = proxy(1, one); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            int stream = http2.open(Calls.head("POST", "content-length", "1000000"));
            http2.body(stream, new byte[10_000], false);
            Http2Response response = http2.response(stream);
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.text()).isEqualTo("{\"early\":true}");
            one.answer(Script.json(200, "{}"));
            assertThat(http2.response(Calls.post(http2)).status()).as("the connection goes on").isEqualTo(200);
            one.answer(Script.json(400, "{\"early\":true}").early());
            http1.send(Calls.http1("POST", 1_000_000) + "x".repeat(10_000));
            assertThat(http1.response().status()).isEqualTo(400);
            proxy.awaitQuiet();
        }
    }
}
