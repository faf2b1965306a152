package io.penstock.proxy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.proxy.demo.WireClient.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The simulator's answers against those of llm-d-inference-sim, byte for byte but for ids and times. */
final class SimRecordingsTest {

    private static final String CHAT = "{\"model\":\"bench-model\",\"messages\":[{\"role\":\"user\",\"content\":\"one two three four\"}]";

    private SimServer sim;

    @BeforeEach
    void start() {
        sim = SimServer.start(SimOptions.of("bench-model").withMode(SimOptions.Mode.ECHO), "127.0.0.1", 0);
    }

    @AfterEach
    void stop() {
        sim.close();
    }

    @Test
    void aChatAnswerIsAsRecorded() throws IOException {
        assertThat(normal(WireClient.post(sim.port(), "/v1/chat/completions", CHAT + "}"))).isEqualTo(recording("chat"));
    }

    @Test
    void aCompletionIsAsRecorded() throws IOException {
        assertThat(normal(WireClient.post(sim.port(), "/v1/completions", "{\"model\":\"bench-model\",\"prompt\":\"one two three\"}")))
                .isEqualTo(recording("completion"));
    }

    @Test
    void aStreamedChatIsAsRecorded() throws IOException {
        assertThat(normal(WireClient.post(sim.port(), "/v1/chat/completions",
                CHAT + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}"))).isEqualTo(recording("chat-stream"));
    }

    @Test
    void healthAndModelsAreAsRecorded() throws IOException {
        assertThat(normal(WireClient.get(sim.port(), "/health"))).isEqualTo(recording("health"));
        assertThat(normal(WireClient.get(sim.port(), "/v1/models"))).isEqualTo(recording("models"));
    }

    @Test
    void refusalsAreAsRecorded() throws IOException {
        assertThat(normal(WireClient.post(sim.port(), "/v1/chat/completions", "{\"model\":"))).isEqualTo(recording("bad-json"));
        assertThat(normal(WireClient.post(sim.port(), "/v1/chat/completions", "{\"model\":\"nope\",\"messages\":[]}")))
                .isEqualTo(recording("unknown-model"));
    }

    @Test
    void aFullQueueRefusesAsRecorded() throws IOException {
        SimLatency slow = SimLatency.of(Duration.ofHours(1), Duration.ZERO);
        try (SimServer full = SimServer.start(SimOptions.of("bench-model").withSlots(1, 0).withLatency(slow), "127.0.0.1", 0);
                WireClient first = new WireClient(full.port())) {
            first.sendPost("/v1/chat/completions", CHAT + "}");
            await().until(() -> full.running() == 1);
            assertThat(normal(WireClient.post(full.port(), "/v1/chat/completions", CHAT + "}"))).isEqualTo(recording("queue-full"));
        }
    }

    @Test
    void everyRecordedMetricFamilyIsThereInItsOrder() throws IOException {
        WireClient.post(sim.port(), "/v1/chat/completions", CHAT + ",\"max_tokens\":50}");
        List<String> page = WireClient.get(sim.port(), "/metrics").body().lines().toList();
        assertThat(page.stream().filter(line -> line.startsWith("#")))
                .containsExactlyElementsOf(recording("metrics-families").lines().toList());
        assertThat(page.stream().filter(line -> !line.startsWith("#")).map(line -> line.substring(0, line.lastIndexOf(' '))))
                .containsExactlyElementsOf(recording("metrics-series").replace("max_lora=\"2\"", "max_lora=\"1\"").lines().toList());
    }

    private static String normal(Answer answer) {
        return ((answer.head() + answer.body()).replace("\r\n", "\n").stripTrailing() + '\n')
                .replaceAll("(?m)^Server: .*$", "Server: SERVER")
                .replaceAll("(?m)^Date: \\w{3}, \\d{2} \\w{3} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$", "Date: DATE")
                .replaceAll("(chatcmpl|cmpl)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "$1-UUID")
                .replaceAll("\"created\":\\d{10}\\b", "\"created\":SECONDS");
    }

    private static String recording(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(SimRecordingsTest.class.getResourceAsStream("recordings/" + name + ".txt"), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
