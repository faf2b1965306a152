package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses arrive as the backend makes them, byte for byte, over both protocols. */
class StreamingEndToEndTest {

    private static final String PICKER = RunningProxy.PICKER.formatted(64) + "  priorityBands: [{priority: 0, maxRequests: 100}]\n";

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(int loops) {
        return RunningProxy.start(loops, List.of(backend), "", PICKER);
    }

    private static String event(int number) {
        return "data: {\"choices\":[{\"delta\":{\"content\":\"" + number + "\"}}]}\n\n";
    }

    private static Script gatedStream(int events) {
        Script script = Script.empty().streamHead("Connection: keep-alive", "Keep-Alive: timeout=5", "Cache-Control: no-cache",
                "X-Accel-Buffering: no");
        for (int i = 0; i < events; i++) {
            script = script.hold("gate").chunk(event(i));
        }
        return script.hold("gate").chunk("data: [DONE]\n\n").lastChunk();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void eachEventReachesAnHttp2ClientBeforeTheNextIsMade(int loops) throws Exception {
        backend.answer(gatedStream(4));
        try (RunningProxy proxy = proxy(loops); Http2RawClient client = proxy.http2()) {
            int stream = Calls.post(client);
            assertThat(client.responseHeaders(stream)).extracting("name").contains(Calls.HEADROOM, "cache-control", "x-accel-buffering")
                    .doesNotContain("transfer-encoding", "content-length", "connection", "keep-alive");
            for (int i = 0; i < 4; i++) {
                backend.releaseOne("gate");
                Calls.awaitData(client, stream, event(i));
            }
            assertThat(backend.running()).as("the backend has not ended").isOne();
            backend.releaseOne("gate");
            Http2Response response = client.response(stream);
            assertThat(response.complete()).isTrue();
            assertThat(response.text()).isEqualTo(event(0) + event(1) + event(2) + event(3) + "data: [DONE]\n\n");
            proxy.awaitQuiet();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void eachEventReachesAnHttp1ClientBeforeTheNextIsMade(int loops) throws Exception {
        backend.answer(gatedStream(4));
        try (RunningProxy proxy = proxy(loops); Http1RawClient client = proxy.http1()) {
            Calls.post(client);
            Http1Response.Head head = client.head();
            assertThat(head.header("transfer-encoding")).hasValue("chunked");
            assertThat(head.header("content-length")).isEmpty();
            assertThat(head.header("keep-alive")).isEmpty();
            for (int i = 0; i < 4; i++) {
                backend.releaseOne("gate");
                assertThat(Calls.text(client.chunk())).isEqualTo(event(i));
            }
            backend.releaseOne("gate");
            assertThat(Calls.text(client.chunk())).isEqualTo("data: [DONE]\n\n");
            assertThat(client.chunk()).isEmpty();
            assertThat(client.fields()).isEmpty();
            proxy.awaitQuiet();
        }
    }

    @Test
    void anAnswerCutAtAnyByteArrivesWhole() throws Exception {
        String body = "data: {\"t\":\"\uD83D\uDE00\"}\n\ndata: [DONE]";
        byte[] utf8 = body.getBytes(StandardCharsets.UTF_8);
        byte[] wire = ("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Integer.toHexString(utf8.length) + "\r\n" + new String(utf8, StandardCharsets.ISO_8859_1) + "\r\n0\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        try (RunningProxy proxy = proxy(1); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            for (int cut = 1; cut < wire.length; cut++) {
                Script script = Script.empty().send(Arrays.copyOf(wire, cut)).pause(Duration.ofMillis(1))
                        .send(Arrays.copyOfRange(wire, cut, wire.length));
                backend.answerNext(script, script);
                assertThat(http2.response(Calls.post(http2)).text()).as("cut at %d", cut).isEqualTo(body);
                Calls.post(http1);
                assertThat(http1.response().text()).as("cut at %d", cut).isEqualTo(body);
            }
            backend.answerNext(Script.empty().send(wire).byteByByte(Duration.ofNanos(100_000)));
            assertThat(http2.response(Calls.post(http2)).body()).isEqualTo(utf8);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 500})
    void anErrorOfTheBackendOnAStreamPassesUnchanged(int status) throws Exception {
        backend.answer(Script.json(status, "{\"error\":{\"message\":\"context too long\"}}", "X-Engine: 7"));
        try (RunningProxy proxy = proxy(1); Http2RawClient client = proxy.http2()) {
            Http2Response response = client.response(client.request("{\"stream\":true}".getBytes(StandardCharsets.US_ASCII),
                    Calls.head("POST", "content-type", "application/json", "accept", "text/event-stream")));
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.text()).isEqualTo("{\"error\":{\"message\":\"context too long\"}}");
            assertThat(response.header("x-engine")).hasValue("7");
            assertThat(response.all(Calls.HEADROOM)).containsExactly("100");
            assertThat(response.header(Calls.REASON)).isEmpty();
        }
    }

    @Test
    void aStreamWithoutAByteEndsAtOnce() throws Exception {
        backend.answer(Script.empty().streamHead().hold("gate").lastChunk());
        try (RunningProxy proxy = proxy(1); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            int stream = Calls.post(http2);
            assertThat(http2.responseHeaders(stream)).isNotEmpty();
            Calls.post(http1);
            assertThat(http1.head().status()).isEqualTo(200);
            backend.release("gate");
            Http2Response response = http2.response(stream);
            assertThat(response.complete()).isTrue();
            assertThat(response.body()).isEmpty();
            assertThat(http1.chunk()).isEmpty();
            assertThat(http1.fields()).isEmpty();
            proxy.awaitQuiet();
        }
    }

    @Test
    void whatHasNoBodyEndsWithItsHead() throws Exception {
        backend.answerWhen(seen -> seen.method().equals("HEAD"), Script.empty().head(200, "Content-Length: 628"));
        backend.answerWhen(seen -> "204".equals(seen.header("x-wanted")), Script.empty().head(204, "Content-Length: 5"));
        backend.answerWhen(seen -> "304".equals(seen.header("x-wanted")), Script.empty().head(304, "Content-Length: 628", "ETag: \"a\""));
        backend.answerWhen(seen -> "204c".equals(seen.header("x-wanted")), Script.empty().head(204, "Transfer-Encoding: chunked"));
        try (RunningProxy proxy = proxy(1); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            for (String wanted : List.of("204", "304", "204c", "HEAD")) {
                boolean isHead = wanted.equals("HEAD");
                int stream = isHead ? http2.request(Calls.head("HEAD")) : Calls.post(http2, "x-wanted", wanted);
                Http2Frame head = http2.await(Http2Frame.HEADERS, stream);
                assertThat(head.ends()).as(wanted).isTrue();
                assertThat(head.headers()).extracting("name").doesNotContain("transfer-encoding");
                assertThat(http2.frames(Http2Frame.DATA, stream)).isEmpty();
                http1.send(isHead ? Calls.http1("HEAD", -1) : Calls.http1("POST", 2, "x-wanted: " + wanted) + "{}");
                Http1Response.Head answer = http1.head();
                assertThat(answer.status()).as(wanted).isEqualTo(isHead ? 200 : Integer.parseInt(wanted.substring(0, 3)));
                assertThat(answer.header("transfer-encoding")).isEmpty();
                assertThat(answer.header("content-length")).isEqualTo(isHead || wanted.equals("304") ? java.util.Optional.of("628")
                        : java.util.Optional.empty());
            }
            Calls.post(http1);
            assertThat(http1.response().status()).as("the connection is still in step").isEqualTo(200);
        }
    }

    @Test
    void trailersFollowTheBodyOverBothProtocols() throws Exception {
        backend.answer(Script.empty().streamHead("Trailer: x-sum").chunk("a").lastChunk("X-Sum: 5", "X-Next: 6"));
        try (RunningProxy proxy = proxy(1); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            int stream = Calls.post(http2);
            Http2Response response = http2.response(stream);
            assertThat(response.text()).isEqualTo("a");
            assertThat(response.trailers()).extracting("name", "value").containsExactly(org.assertj.core.groups.Tuple.tuple("x-sum", "5"),
                    org.assertj.core.groups.Tuple.tuple("x-next", "6"));
            Calls.post(http1, "TE: trailers");
            assertThat(http1.response().trailers()).hasSize(2);
        }
    }

    @Test
    void interimAnswersPassBeforeTheFinalOne() throws Exception {
        backend.answer(Script.empty().head(102).head(103, "Link: </a>").hold("gate").head(200, "Content-Length: 2").send("ok"));
        try (RunningProxy proxy = proxy(1); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            int stream = Calls.post(http2);
            http2.await("103", frame -> frame.is(Http2Frame.HEADERS, stream) && frame.headers().get(0).value().equals("103"));
            Calls.post(http1);
            assertThat(http1.head().status()).isEqualTo(102);
            assertThat(http1.head().status()).isEqualTo(103);
            backend.release("gate");
            Http2Response response = http2.response(stream);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.informational()).hasSize(2);
            assertThat(http1.response().text()).isEqualTo("ok");
        }
    }
}
