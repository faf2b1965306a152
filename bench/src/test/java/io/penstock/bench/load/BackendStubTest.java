package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.LeakPresenceDetector;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BackendStubTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final BackendStub stub = BackendStub.start(2);

    @AfterEach
    void close() {
        stub.close();
        LeakPresenceDetector.check();
    }

    private int port() {
        return stub.ports().get(0);
    }

    @ParameterizedTest
    @EnumSource
    void everyRequestIsAnsweredWith200(Protocol protocol) {
        try (LoadClient client = LoadClient.open(protocol, port(), 3)) {
            LatencyReport report = ClosedLoop.run(client, LoadRequest.post("/v1/completions", 500), 40, 2000, LIMIT);
            assertThat(report.faults()).isEmpty();
            assertThat(report.answered()).isEqualTo(2000);
            assertThat(report.latencies().getTotalCount()).isEqualTo(2000);
        }
        assertThat(stub.requests()).isEqualTo(2000);
    }

    @ParameterizedTest
    @EnumSource
    void theOtherPortAnswersToo(Protocol protocol) {
        try (LoadClient client = LoadClient.open(protocol, stub.ports().get(1), 1)) {
            assertThat(ClosedLoop.run(client, LoadRequest.post("/", 0), 1, 5, LIMIT).answered()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bodiesLargerThanEveryWindowPass(Protocol protocol) {
        try (LoadClient client = LoadClient.open(protocol, port(), 1)) {
            assertThat(ClosedLoop.run(client, LoadRequest.post("/", 3_000_000), 4, 20, LIMIT).answered()).isEqualTo(20);
        }
    }

    @ParameterizedTest
    @EnumSource
    void pacedStreamsBringAllTheirEvents(Protocol protocol) {
        try (LoadClient client = LoadClient.open(protocol, port(), 8)) {
            StreamReport report = StreamLoad.run(client, new StreamLoad.Plan(8, 5, 1, Duration.ofMillis(4), 3), LIMIT);
            assertThat(report.failed()).isEmpty();
            assertThat(report.ended()).isEqualTo(24);
            assertThat(report.events()).isEqualTo(24 * 5);
            assertThat(report.firstEvent().getTotalCount()).isEqualTo(24);
        }
    }

    @ParameterizedTest
    @EnumSource
    void streamsFlatOutBringAllTheirEventsPastEveryWindow(Protocol protocol) {
        try (LoadClient client = LoadClient.open(protocol, port(), 4)) {
            StreamReport report = StreamLoad.run(client, new StreamLoad.Plan(4, 20_003, 0, Duration.ZERO, 1), LIMIT);
            assertThat(report.failed()).isEmpty();
            assertThat(report.events()).isEqualTo(4 * 20_003);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDelayedAnswerTakesAtLeastItsDelay(Protocol protocol) {
        try (LoadClient client = LoadClient.open(protocol, port(), 1)) {
            LatencyReport report = ClosedLoop.run(client, LoadRequest.post(BackendStub.completionPath(30), 500), 1, 2, LIMIT);
            assertThat(report.faults()).isEmpty();
            assertThat(report.latencies().getMinValue()).isGreaterThanOrEqualTo(29_000_000L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConnectionThatIsLostFailsWhatItCarries(Protocol protocol) {
        try (LoadClient client = LoadClient.open(protocol, port(), 3)) {
            CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
                while (stub.requests() < 3) {
                    Thread.onSpinWait();
                }
                stub.close();
            });
            LatencyReport report = ClosedLoop.run(client, LoadRequest.post(BackendStub.completionPath(60_000), 500), 3, 3, LIMIT);
            closing.join();
            assertThat(report.answered()).isZero();
            assertThat(report.failed().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(3);
        }
    }

    @Test
    void aChunkedRequestWithTrailersIsReadToItsEnd() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port())) {
            socket.getOutputStream().write(("POST / HTTP/1.1\r\nhost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5;x=y\r\nhello\r\n0\r\nz: 1\r\n\r\nGET /metrics HTTP/1.1\r\nhost: a\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            StringBuilder seen = new StringBuilder();
            while (!seen.toString().contains("kv_cache_usage_perc")) {
                seen.append((char) in.read());
            }
            assertThat(seen).contains("cmpl-").containsPattern("(?s)HTTP/1.1 200 OK.*HTTP/1.1 200 OK");
        }
        assertThat(stub.requests()).isEqualTo(1);
    }

    @Test
    void metricsAreServedToOthersClients() throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + port() + "/metrics").toURL().openConnection();
        assertThat(new String(connection.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                .contains("vllm:num_requests_waiting", "vllm:num_requests_running", "vllm:kv_cache_usage_perc");
        assertThat(stub.requests()).isZero();
    }

    @Test
    void anEventIsAboutAsLongAsAnEnginesOwn() {
        assertThat(BackendStub.eventBytes()).isBetween(140, 220);
    }

    @Test
    void pathsSayWhatIsAsked() {
        assertThat(StubRequest.of("/stream?events=7&every=10")).isEqualTo(new StubRequest(StubRequest.Kind.STREAM, 7, 10, 0));
        assertThat(StubRequest.of("/stream")).isEqualTo(new StubRequest(StubRequest.Kind.STREAM, 1, 0, 0));
        assertThat(StubRequest.of("/v1/completions?delay=25").delayMillis()).isEqualTo(25);
        assertThat(StubRequest.of("/v1/completions?nodelay=25").delayMillis()).isZero();
        assertThat(Map.of("a", StubRequest.of("/metrics").kind())).containsValue(StubRequest.Kind.METRICS);
    }
}
