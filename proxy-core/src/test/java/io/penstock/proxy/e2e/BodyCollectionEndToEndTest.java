package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With tokens counted, bodies of any size come in whole before they are queued, on both protocols, and nobody can keep their memory. */
class BodyCollectionEndToEndTest {

    private static final String PICKER = RunningProxy.PICKER.formatted(2).replace("{maxConcurrency: 2}",
            "{concurrencyMode: hybrid, maxConcurrency: 2, maxTokenConcurrency: 10000000}");
    private static final String[] HEAD = {":method", "POST", ":scheme", "http", ":authority", "a.test", ":path", "/v1/completions"};
    private static final int LARGE = 3 << 20;

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(String keys) {
        return RunningProxy.start(1, List.of(backend), keys, PICKER);
    }

    private static byte[] prompt(int bytes) {
        return ("{\"prompt\":\"" + "x".repeat(bytes) + "\"}").getBytes(StandardCharsets.US_ASCII);
    }

    private long posted() {
        return backend.requests().stream().filter(seen -> seen.method().equals("POST")).mapToLong(seen -> seen.bodyBytes()).sum();
    }

    @Test
    void aBodyFarBeyondAnyWindowComesInOverHttp2WhileAnotherWaits() throws Exception {
        try (RunningProxy proxy = proxy(""); Http2RawClient client = proxy.http2()) {
            int held = client.open(HEAD);
            client.body(held, Arrays.copyOf(prompt(60_000), 60_000), false);
            byte[] large = prompt(LARGE);
            int stream = client.open(HEAD);
            client.body(stream, large, true);
            Http2Response response = client.response(stream);
            assertThat(response.status()).isEqualTo(200);
            assertThat(posted()).isEqualTo(large.length);
            assertThat(proxy.metric("penstock_buffered_body_bytes")).isEqualTo(60_000);
            client.reset(held, Http2Frame.CANCEL);
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_buffered_body_bytes")).isZero();
        }
    }

    @Test
    void aLargeBodyIsChargedByItsPrompt() throws Exception {
        backend.answer(Script.chat("hello")).hold();
        try (RunningProxy proxy = proxy(""); Http2RawClient client = proxy.http2()) {
            int stream = client.open(HEAD);
            client.body(stream, prompt(LARGE), true);
            backend.awaitCompleteRequests(1);
            assertThat(proxy.proxy.endpoints().get(0).inFlightTokens()).isEqualTo(LARGE / 4);
            backend.release();
            assertThat(client.response(stream).status()).isEqualTo(200);
            proxy.awaitQuiet();
        }
    }

    @Test
    void http1BodiesComeInWithLengthOrChunksOnOneConnection() throws Exception {
        byte[] large = prompt(LARGE);
        try (RunningProxy proxy = proxy(""); Http1RawClient client = proxy.http1()) {
            client.send("POST /v1/completions HTTP/1.1\r\nHost: a.test\r\nContent-Length: " + large.length + "\r\n\r\n");
            client.send(new String(large, StandardCharsets.US_ASCII));
            assertThat(client.response().status()).isEqualTo(200);
            client.send("POST /v1/completions HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + Integer.toHexString(large.length) + "\r\n" + new String(large, StandardCharsets.US_ASCII) + "\r\n0\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
            client.send("POST /v1/completions HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(posted()).isEqualTo(2L * large.length);
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_unreadable_prompts_total")).as("an empty body is no JSON").isEqualTo(1);
        }
    }

    @Test
    void aClientThatWaitsForItsContinueGetsItBeforeItIsQueued() throws Exception {
        try (RunningProxy proxy = proxy(""); Http1RawClient client = proxy.http1()) {
            byte[] body = prompt(10);
            client.send("POST /v1/completions HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: " + body.length
                    + "\r\n\r\n");
            assertThat(client.line()).startsWith("HTTP/1.1 100");
            assertThat(client.fields()).isEmpty();
            client.send(new String(body, StandardCharsets.US_ASCII));
            assertThat(client.response().status()).isEqualTo(200);
            proxy.awaitQuiet();
        }
    }

    @Test
    void aClientThatStopsInTheMiddleIsToldSoAndHoldsNothing() throws Exception {
        try (RunningProxy proxy = proxy("timeouts: {streamIdle: 300ms}\n"); Http2RawClient http2 = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            int stream = http2.open(HEAD);
            http2.data(stream, prompt(50), false);
            http1.send("POST /v1/completions HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\n{");
            Http2Response response = http2.response(stream);
            assertThat(response.status()).isEqualTo(408);
            assertThat(http1.response().status()).isEqualTo(408);
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_buffered_body_bytes")).isZero();
            assertThat(proxy.metric("penstock_timeouts_total{timer=\"streamIdle\"")).isEqualTo(2);
            assertThat(backend.requests()).noneMatch(seen -> seen.method().equals("POST"));
        }
    }

    @Test
    void theWholeProcessHoldsNoMoreThanItMay() throws Exception {
        try (RunningProxy proxy = proxy("limits: {maxBufferedBodyBytes: 130k}\n"); Http2RawClient client = proxy.http2();
                Http1RawClient http1 = proxy.http1()) {
            int first = client.open(HEAD);
            client.body(first, Arrays.copyOf(prompt(60_000), 60_000), false);
            client.roundTrip();
            String body = new String(prompt(60_000), StandardCharsets.US_ASCII);
            http1.send("POST /v1/completions HTTP/1.1\r\nHost: a.test\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
            assertThat(http1.response().status()).isEqualTo(503);
            assertThat(proxy.metric("penstock_refused_bodies_total")).isEqualTo(1);
            client.body(first, Arrays.copyOfRange(prompt(60_000), 60_000, prompt(60_000).length), true);
            assertThat(client.response(first).status()).isEqualTo(200);
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_buffered_body_bytes")).isZero();
        }
    }

    @Test
    void aBodyAboveTheLimitIsRefusedOnceItIs() throws Exception {
        try (RunningProxy proxy = proxy("limits: {maxRequestBodyBytes: 100k}\n"); Http2RawClient client = proxy.http2()) {
            int stream = client.open(HEAD);
            client.data(stream, new byte[16_000], false);
            for (int i = 0; i < 6; i++) {
                client.body(stream, new byte[16_000], false);
            }
            assertThat(client.response(stream).status()).isEqualTo(413);
            proxy.awaitQuiet();
            assertThat(proxy.metric("penstock_buffered_body_bytes")).isZero();
        }
    }
}
