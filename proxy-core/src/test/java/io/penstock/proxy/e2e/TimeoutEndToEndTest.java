package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each timer ends what it is there for and nothing else, and gives the place to the next. */
class TimeoutEndToEndTest {

    private static final String PICKER = RunningProxy.PICKER.formatted(1) + "  priorityBands: [{priority: 0, maxRequests: 100}]\n";

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(String timeouts) {
        return RunningProxy.start(1, List.of(backend), "timeouts: {" + timeouts + "}\n", PICKER);
    }

    private static Script steady(int events) {
        Script script = Script.empty().streamHead();
        for (int i = 0; i < events; i++) {
            script = script.chunk("data: " + i + "\n\n").pause(Duration.ofMillis(50));
        }
        return script.lastChunk();
    }

    @Test
    void aBackendThatStaysSilentIsA504AndItsPlaceGoesToTheNext() throws Exception {
        try (RunningProxy proxy = proxy("responseHeaders: 1s"); Http2RawClient http2 = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            backend.answerNext(Script.never(), Script.never());
            int silent = Calls.post(http2);
            backend.awaitRunning(1);
            Calls.post(http1);
            proxy.awaitWaiting(0, 1);
            int next = Calls.post(http2);
            Http2Response response = http2.response(silent);
            assertThat(response.status()).isEqualTo(504);
            assertThat(response.header("content-type")).hasValue("application/json");
            assertThat(response.text()).contains("responseHeaders", "\"code\":504");
            assertThat(response.header(Calls.HEADROOM)).isPresent();
            Http1Response second = http1.response();
            assertThat(second.status()).isEqualTo(504);
            assertThat(http2.response(next).status()).isEqualTo(200);
            backend.awaitDisconnects(2);
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_timeouts_total{timer=\"responseHeaders\"")).isEqualTo(2);
        }
    }

    @Test
    void interimHeadsDoNotBuyABackendMoreTime() throws Exception {
        try (RunningProxy proxy = proxy("responseHeaders: 400ms"); Http2RawClient http2 = proxy.http2()) {
            Script talking = Script.empty();
            for (int i = 0; i < 9; i++) {
                talking = talking.head(103, "link: </" + i + ">").pause(Duration.ofMillis(150));
            }
            backend.answerNext(talking.silence());
            Http2Response response = http2.response(Calls.post(http2));
            assertThat(response.status()).isEqualTo(504);
            assertThat(response.informational()).hasSizeLessThan(9);
            proxy.awaitQuiet();
        }
    }

    @Test
    void aStreamThatFallsSilentIsResetAndItsPlaceGoesToTheNext() throws Exception {
        try (RunningProxy proxy = proxy("streamIdle: 1s"); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            Script silent = Script.empty().streamHead().chunk("data: 1\n\n").silence();
            backend.answerNext(silent, silent);
            int stream = Calls.post(http2);
            Calls.awaitData(http2, stream, "data: 1\n\n");
            Calls.post(http1);
            proxy.awaitWaiting(0, 1);
            int next = Calls.post(http2);
            assertThat(http2.response(stream).resetCode()).isEqualTo(Http2Frame.CANCEL);
            assertThat(http1.response().complete()).isFalse();
            assertThat(http2.response(next).status()).isEqualTo(200);
            backend.awaitDisconnects(2);
            proxy.awaitQuiet();
        }
    }

    @Test
    void theIdleLimitIsNotALimitForTheFirstByte() throws Exception {
        try (RunningProxy proxy = proxy("streamIdle: 200ms, responseHeaders: 60s"); Http2RawClient client = proxy.http2()) {
            backend.answerNext(Script.empty().pause(Duration.ofMillis(700)).streamHead().chunk("late").lastChunk(),
                    Script.empty().streamHead().pause(Duration.ofMillis(700)).chunk("late").lastChunk());
            assertThat(client.response(Calls.post(client)).text()).as("no head for a while").isEqualTo("late");
            Http2Response response = client.response(Calls.post(client));
            assertThat(response.complete()).as("no token for a while").isTrue();
            assertThat(response.text()).isEqualTo("late");
        }
    }

    @Test
    void aSteadyStreamOutlivesTheIdleLimitButNotTheLimitOfTheRequest() throws Exception {
        backend.answer(steady(20));
        try (RunningProxy proxy = proxy("streamIdle: 900ms"); Http2RawClient client = proxy.http2()) {
            assertThat(client.response(Calls.post(client)).complete()).isTrue();
        }
        try (RunningProxy proxy = proxy("streamIdle: 400ms, request: 500ms"); Http2RawClient http2 = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            Http2Response cut = http2.response(Calls.post(http2));
            assertThat(cut.status()).isEqualTo(200);
            assertThat(cut.resetCode()).isEqualTo(Http2Frame.CANCEL);
            Calls.post(http1);
            assertThat(http1.response().complete()).isFalse();
            backend.answer(Script.never());
            Http2Response silent = http2.response(Calls.post(http2));
            assertThat(silent.status()).isEqualTo(504);
            assertThat(silent.text()).contains("(request)");
            proxy.awaitQuiet();
        }
    }

    @Test
    void timeInTheQueueCountsForNoTimer() throws Exception {
        try (RunningProxy proxy = proxy("responseHeaders: 1s, streamIdle: 1s, request: 3s");
                Http2RawClient client = proxy.http2()) {
            backend.answerNext(Script.empty().pause(Duration.ofMillis(400)).head(200, "Content-Length: 4").pause(Duration.ofMillis(400))
                    .send("12").pause(Duration.ofMillis(400)).send("34"));
            int running = Calls.post(client);
            int waiting = Calls.post(client);
            assertThat(client.response(running).complete()).isTrue();
            assertThat(client.response(waiting).status()).isEqualTo(200);
        }
    }

    @Test
    void aClientThatStopsInItsBodyIsA408() throws Exception {
        try (RunningProxy proxy = proxy("streamIdle: 300ms"); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            int stream = http2.open(Calls.head("POST", "content-length", "10"));
            http2.data(stream, new byte[5], false);
            assertThat(http2.response(stream).status()).isEqualTo(408);
            http1.send(Calls.http1("POST", 10) + "12345");
            assertThat(http1.response().status()).isEqualTo(408);
            proxy.awaitQuiet();
        }
    }

    @Test
    void aBackendThatStopsReadingTheBodyIsA504() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (SocketBackend stuck = SocketBackend.start(connection -> over.await());
                RunningProxy proxy = RunningProxy.start(1, List.of(), stuck.endpoints() + "timeouts: {streamIdle: 400ms}\n", PICKER);
                Http2RawClient client = proxy.http2()) {
            int stream = client.open(Calls.head("POST", "content-length", Integer.toString(30 << 20)));
            byte[] block = new byte[16 << 10];
            while (client.frames(Http2Frame.HEADERS, stream).isEmpty()) {
                while (client.credit(stream) >= block.length) {
                    client.data(stream, block, false);
                }
                client.next();
            }
            assertThat(client.response(stream).status()).isEqualTo(504);
            proxy.awaitQuiet();
        } finally {
            over.countDown();
        }
    }
}
