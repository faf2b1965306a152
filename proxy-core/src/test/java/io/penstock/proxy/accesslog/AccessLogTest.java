package io.penstock.proxy.accesslog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.penstock.flow.FlowKey;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.request.EndCause;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessLogTest {

    private static final FlowKey FLOW = new FlowKey("tenant", 5);

    @TempDir
    private Path directory;

    @Test
    void aRecordIsOneJsonLine() throws IOException {
        assertThat(written(record("/v1/chat/completions?api_key=secret", "id-1"))).isEqualTo("{\"start_time\":\"2026-01-02T03:04:05.067Z\","
                + "\"method\":\"POST\",\"path\":\"/v1/chat/completions\",\"protocol\":\"HTTP/2\",\"status\":200,\"cause\":\"natural\","
                + "\"bytes_received\":500,\"bytes_sent\":9000,\"duration_ms\":1234.567,\"ttfb_ms\":12.0,\"queue_ms\":0.25,"
                + "\"queue_outcome\":\"dispatched\",\"replays\":1,"
                + "\"priority_requested\":5,\"priority_effective\":0,\"fairness_id\":\"tenant\",\"endpoint\":\"default/vllm-0\","
                + "\"request_id\":\"id-1\",\"drop_reason\":null,\"retry_after_s\":null,\"peer\":\"10.0.0.1\"}\n");
    }

    @Test
    void whatIsNotKnownIsNull() throws IOException {
        Map<String, String> fields = parsed(written(new AccessRecord(0, "GET", "/", "HTTP/1.1", 0, EndCause.CLIENT_DISCONNECT, 0, 0, 1, -1,
                -1, null, 7, 0, null, null, null, "", "rejected-saturated", "::1")));
        assertThat(fields).containsEntry("status", "null").containsEntry("ttfb_ms", "null").containsEntry("queue_ms", "null")
                .containsEntry("queue_outcome", "null").containsEntry("retry_after_s", "7")
                .containsEntry("priority_requested", "null").containsEntry("priority_effective", "null")
                .containsEntry("fairness_id", "null").containsEntry("endpoint", "null").containsEntry("drop_reason", "rejected-saturated")
                .containsEntry("cause", "client-disconnect").containsEntry("start_time", "1970-01-01T00:00:00.000Z");
    }

    @Test
    void hostileValuesStayInsideTheirStringAndLine() throws IOException {
        for (String hostile : List.of("\u001b[31mred", "a\r\n{\"x\":1}", "q\"uo\\te", "\u009b2J\u2028\u2029", "\uD800", "\u007f", "%0a",
                "x".repeat(65_536))) {
            String line = written(record('/' + hostile, hostile));
            assertThat(line.indexOf('\n')).as(hostile).isEqualTo(line.length() - 1);
            assertThat(line.chars()).allMatch(c -> c == '\n' || c >= 0x20 && c < 0x7f);
            assertThat(line.length()).isLessThan(2_500);
            assertThat(parsed(line)).hasSize(21);
        }
    }

    @Test
    void aFileIsAppendedTo() throws IOException {
        Path file = directory.resolve("access.log");
        for (int i = 0; i < 2; i++) {
            try (AccessLog log = AccessLog.open(new ProxyConfig.AccessLog(file.toString(), "json"), System::nanoTime)) {
                log.write(record("/" + i, "id"));
            }
        }
        assertThat(Files.readAllLines(file)).hasSize(2);
    }

    @Test
    void aRecordIsWrittenWithoutWaitingForMoreOrForTheEnd() throws IOException {
        Path file = directory.resolve("access.log");
        try (AccessLog log = AccessLog.open(new ProxyConfig.AccessLog(file.toString(), "json"), System::nanoTime)) {
            log.write(record("/", "id"));
            Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> Files.readAllLines(file).size() == 1);
        }
    }

    @Test
    void aPathThatCannotBeWrittenIsNamed() {
        String missing = directory.resolve("no/access.log").toString();
        assertThatThrownBy(() -> AccessLog.open(new ProxyConfig.AccessLog(missing, "json"), System::nanoTime))
                .hasMessageStartingWith("accessLog.path: " + missing + ": no such directory");
        assertThatThrownBy(() -> AccessLog.open(new ProxyConfig.AccessLog(directory.toString(), "json"), System::nanoTime))
                .hasMessageStartingWith("accessLog.path: " + directory + ": cannot be written");
    }

    @Test
    void offTakesNothing() throws IOException {
        try (AccessLog log = AccessLog.open(new ProxyConfig.AccessLog("off", "json"), System::nanoTime)) {
            assertThat(log.enabled()).isFalse();
            log.write(record("/", "id"));
            assertThat(log.dropped()).isZero();
        }
    }

    @Test
    void whoWritesIsNeverHeldUpByAStreamThatTakesNothing() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        AccessLog log = AccessLog.start(new Held(taken, reached, release), 64, System::nanoTime);
        log.write(record("/first", "id"));
        reached.await();
        for (int i = 0; i < 1_000; i++) {
            log.write(record("/" + i, "id"));
        }
        assertThat(log.dropped()).isEqualTo(1_000 - 64);
        release.countDown();
        log.close();
        assertThat(taken.toString(StandardCharsets.UTF_8).lines()).hasSize(65);
    }

    @Test
    void aStreamThatFailsCostsItsRecordsOnlyAndTheNextLineIsWhole() throws IOException {
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        FailsOnce failing = new FailsOnce(taken);
        AccessLog log = AccessLog.start(failing, 64, System::nanoTime);
        log.write(record("/lost", "id"));
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> log.dropped() == 1);
        log.write(record("/kept", "id"));
        log.close();
        List<String> lines = taken.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).contains("\"/kept\"").startsWith("{").endsWith("}");
    }

    private static AccessRecord record(String path, String id) {
        return new AccessRecord(1_767_323_045_067L, "POST", path, "HTTP/2", 200, EndCause.NATURAL, 500, 9_000, 1_234_567_890L, 12_000_000L,
                250_000L, "dispatched", 0, 1, FLOW, FLOW.withPriority(0), "default/vllm-0", id, null, "10.0.0.1");
    }

    private static String written(AccessRecord record) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (AccessLog log = AccessLog.start(out, 16, System::nanoTime)) {
            log.write(record);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static Map<String, String> parsed(String line) throws IOException {
        Map<String, String> fields = new LinkedHashMap<>();
        try (JsonParser json = new JsonFactory().createParser(line)) {
            assertThat(json.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                fields.put(name, json.getText());
            }
            assertThat(json.currentToken()).isEqualTo(JsonToken.END_OBJECT);
        }
        return fields;
    }

    /** Holds its writer until it is released, as a pipe does that nobody reads. */
    private static final class Held extends OutputStream {
        private final OutputStream inner;
        private final CountDownLatch reached;
        private final CountDownLatch release;

        Held(OutputStream inner, CountDownLatch reached, CountDownLatch release) {
            this.inner = inner;
            this.reached = reached;
            this.release = release;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            reached.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            inner.write(bytes, from, length);
        }
    }

    /** Takes half of the first write and fails, as a full disk does. */
    private static final class FailsOnce extends OutputStream {
        private final OutputStream inner;
        private boolean failed;

        FailsOnce(OutputStream inner) {
            this.inner = inner;
        }

        @Override
        public void write(int b) throws IOException {
            inner.write(b);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            if (!failed) {
                failed = true;
                inner.write(bytes, from, length / 2);
                throw new IOException("no space left on device");
            }
            inner.write(bytes, from, length);
        }
    }
}
