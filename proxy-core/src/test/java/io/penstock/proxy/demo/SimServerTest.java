package io.penstock.proxy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.demo.WireClient.Answer;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SimServerTest {

    private static final String CHAT_PATH = "/v1/chat/completions";
    private static final SimLatency FOREVER = SimLatency.of(Duration.ofHours(1), Duration.ZERO);
    private static final SimLatency STALLS_AFTER_ONE = SimLatency.of(Duration.ZERO, Duration.ofHours(1));

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    @AfterAll
    static void nothingLeaks() {
        LeakPresenceDetector.check();
    }

    private SimServer sim(SimOptions options) {
        SimServer sim = SimServer.start(options, "127.0.0.1", 0);
        open.add(sim);
        return sim;
    }

    private WireClient client(SimServer sim) {
        WireClient client = new WireClient(sim.port());
        open.add(client);
        return client;
    }

    private static SimOptions options() {
        return SimOptions.of("m").withMode(SimOptions.Mode.ECHO);
    }

    private static String chat(String more) {
        return "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a b c d\"}]" + more + '}';
    }

    @Test
    void requestsBeyondTheSlotsWaitAndADepartureLetsTheNextOneIn() throws IOException {
        SimServer sim = sim(options().withSlots(2, 2).withLatency(FOREVER));
        List<WireClient> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(client(sim).sendPost(CHAT_PATH, chat("")));
        }
        await().until(() -> sim.running() == 2 && sim.waiting() == 2);

        assertThat(WireClient.post(sim.port(), CHAT_PATH, chat("")).status()).isEqualTo(429);

        clients.get(0).close();
        await().until(() -> sim.running() == 2 && sim.waiting() == 1);
        clients.get(1).reset();
        await().until(() -> sim.running() == 2 && sim.waiting() == 0);
        clients.get(2).close();
        clients.get(3).close();
        await().until(() -> sim.running() == 0);
    }

    @Test
    void aClientThatLeavesTheQueueNeverTakesASlot() throws IOException {
        SimServer sim = sim(options().withSlots(1, 5).withLatency(FOREVER));
        WireClient runs = client(sim).sendPost(CHAT_PATH, chat(""));
        await().until(() -> sim.running() == 1);
        WireClient waits = client(sim).sendPost(CHAT_PATH, chat(""));
        await().until(() -> sim.waiting() == 1);

        waits.close();
        await().until(() -> sim.waiting() == 0);
        assertThat(sim.running()).isOne();

        runs.close();
        await().until(() -> sim.running() == 0);
    }

    @Test
    void aClientThatLeavesInTheMiddleOfAStreamFreesItsSlot() throws IOException {
        SimServer sim = sim(options().withSlots(1, 5).withLatency(STALLS_AFTER_ONE));
        WireClient streams = client(sim).sendPost(CHAT_PATH, chat(",\"stream\":true"));
        streams.readThrough("\"content\":\"a \"}}]}\n\n");
        assertThat(sim.running()).isOne();

        streams.reset();

        await().until(() -> sim.running() == 0);
    }

    @Test
    void aFinishedAnswerHasGivenItsSlotBackBeforeItIsRead() throws IOException {
        SimServer sim = sim(options().withSlots(1, 0));
        WireClient client = client(sim);
        for (int i = 0; i < 50; i++) {
            assertThat(client.sendPost(CHAT_PATH, chat("")).answer().status()).isEqualTo(200);
            assertThat(sim.running()).isZero();
        }
    }

    @Test
    void manyWaitingRequestsThatEndAtOnceAllGetTheirAnswers() throws IOException {
        SimServer sim = sim(options().withSlots(1, 1000).withLatency(SimLatency.of(Duration.ofMillis(1), Duration.ZERO)));
        List<WireClient> clients = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            clients.add(client(sim).sendPost(CHAT_PATH, chat("")));
        }
        for (WireClient client : clients) {
            assertThat(client.answer().status()).isEqualTo(200);
        }
        assertThat(sim.running() + sim.waiting()).isZero();
    }

    @Test
    void aSlowReaderDoesNotMakeTheServerBufferItsWholeStream() throws IOException {
        SimServer sim = sim(new SimOptions("m", List.of(), SimOptions.Mode.RANDOM, 1, 1, 2_000_000, 4 << 20, SimLatency.NONE,
                SimFailures.NONE, SimOptions.Cache.OFF, Duration.ZERO, Duration.ZERO, SimOptions.Pod.NONE, false,
                OptionalLong.of(1)));
        WireClient client = client(sim).sendPost(CHAT_PATH, chat(",\"stream\":true,\"ignore_eos\":true,\"max_tokens\":100000"));
        client.readHead();

        // 100 000 events are 20 MB, more than the socket buffers and the high-water mark together hold.
        assertThat(sim.running()).isOne();
        client.readThrough("data: [DONE]\n\n\r\n0\r\n\r\n");

        assertThat(sim.running()).isZero();
    }

    @Test
    void eachEventIsOneChunk() throws IOException {
        SimServer sim = sim(options());
        WireClient client = client(sim).sendPost(CHAT_PATH, chat(",\"stream\":true,\"max_tokens\":1"), "Connection: close");
        client.readHead();
        String wire = client.readToEnd();
        String[] parts = wire.split("\r\n");
        for (int i = 0; i < parts.length; i += 2) {
            String data = i + 1 < parts.length ? parts[i + 1] : "";
            assertThat(data.length()).isEqualTo(Integer.parseInt(parts[i], 16));
            assertThat(data).satisfiesAnyOf(d -> assertThat(d).isEmpty(), d -> assertThat(d).startsWith("data: ").endsWith("\n\n"));
        }
        assertThat(wire).contains("\"finish_reason\":\"length\"").endsWith("data: [DONE]\n\n\r\n0\r\n\r\n");
    }

    @Test
    void injectedFailuresComeBeforeEveryOtherCheck() throws IOException {
        SimServer sim = sim(options().withFailures(SimFailures.named(100, List.of("rate_limit"))));
        Answer failed = WireClient.post(sim.port(), CHAT_PATH, "not json");
        assertThat(failed.status()).isEqualTo(429);
        assertThat(failed.body()).contains("\"type\":\"RateLimitError\"").contains("\"code\":429");

        assertThat(WireClient.post(sim.port(), CHAT_PATH, chat(""), "X-Return-Error: 503").body())
                .contains("\"type\":\"InternalServerError\"");
        assertThat(WireClient.post(sim.port(), CHAT_PATH, chat(""), "X-Return-Error: soon").status()).isEqualTo(400);
    }

    @Test
    void theUnknownModelIsNoticedBeforeABadRequest() throws IOException {
        SimServer sim = sim(options());
        assertThat(WireClient.post(sim.port(), CHAT_PATH, "{\"model\":\"x\",\"max_tokens\":-1}").status()).isEqualTo(404);
        assertThat(WireClient.post(sim.port(), CHAT_PATH, chat(",\"max_tokens\":0")).body()).contains("max_tokens: 0");
        assertThat(WireClient.post(sim.port(), CHAT_PATH, chat(",\"stream_options\":{}")).status()).isEqualTo(400);
        assertThat(WireClient.post(sim.port(), "/v1/completions", "{\"model\":\"m\"}").status()).isEqualTo(400);
        assertThat(WireClient.get(sim.port(), CHAT_PATH).status()).isEqualTo(405);
        assertThat(WireClient.get(sim.port(), "/nowhere").status()).isEqualTo(404);
    }

    @Test
    void whatDoesNotFitTheModelIsRefusedWithItsNumbers() throws IOException {
        Answer answer = WireClient.post(sim(options()).port(), CHAT_PATH, chat(",\"max_tokens\":1020"));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("1024", "1029", "9 in the prompt", "1020 in the output");
    }

    @Test
    void aBodyBeyondTheLimitGetsAnAnswerWhileItIsStillBeingSent() throws IOException {
        SimServer sim = sim(options());
        WireClient client = client(sim).send("POST " + CHAT_PATH + " HTTP/1.1\r\nHost: t\r\nContent-Length: 5000000\r\n\r\n{");
        assertThat(client.answer().status()).isEqualTo(413);
    }

    @Test
    void anExpectedContinueIsGivenBeforeTheBody() throws IOException {
        String body = chat("");
        WireClient client = client(sim(options())).send("POST " + CHAT_PATH
                + " HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: " + body.length() + "\r\n\r\n");
        assertThat(client.readHead()).startsWith("HTTP/1.1 100 ");
        assertThat(client.send(body).answer().status()).isEqualTo(200);
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws IOException {
        SimServer sim = sim(options());
        WireClient client = client(sim).send("GET /health HTTP/1.1\r\n\r\nGET /v1/models HTTP/1.1\r\n\r\nGET /nowhere HTTP/1.1\r\n\r\n");
        assertThat(client.answer().body()).isEmpty();
        assertThat(client.answer().body()).contains("\"list\"");
        assertThat(client.answer().status()).isEqualTo(404);
    }

    @Test
    void anIdleConnectionIsClosedAndABusyOneIsNot() throws IOException {
        SimServer sim = sim(options().withTimes(Duration.ofMillis(200), Duration.ZERO)
                .withLatency(SimLatency.of(Duration.ofMillis(400), Duration.ZERO)));
        WireClient client = client(sim);
        long from = System.nanoTime();
        assertThat(client.sendPost(CHAT_PATH, chat("")).answer().status()).isEqualTo(200);
        assertThat(client.readToEnd()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isGreaterThanOrEqualTo(Duration.ofMillis(600));
    }

    @Test
    void whoAnsweredAndTheRequestIdAreSaidWhenAskedFor() throws IOException {
        SimServer sim = sim(options().withPod(new SimOptions.Pod("vllm-0", "prod"), true));
        Answer answer = WireClient.post(sim.port(), CHAT_PATH, chat(""), "X-Request-Id: abc");
        assertThat(answer.header("x-request-id")).isEqualTo("abc");
        assertThat(answer.header("x-inference-pod")).isEqualTo("vllm-0");
        assertThat(answer.header("x-inference-namespace")).isEqualTo("prod");
        assertThat(answer.header("x-inference-port")).isEqualTo(Integer.toString(sim.port()));
    }

    @Test
    void gaugesFollowTheSlotsTheCacheAndWhatATestSays() throws IOException {
        SimServer sim = sim(options().withSlots(1, 5).withLatency(FOREVER).withCache(new SimOptions.Cache(true, 4, 16)));
        client(sim).sendPost(CHAT_PATH, chat(""));
        client(sim).sendPost(CHAT_PATH, chat(""));
        await().until(() -> sim.running() == 1 && sim.waiting() == 1);
        assertThat(WireClient.get(sim.port(), "/metrics").body()).contains("vllm:num_requests_running{model_name=\"m\"} 1\n",
                "vllm:num_requests_waiting{model_name=\"m\"} 1\n", "vllm:kv_cache_usage_perc{model_name=\"m\"} 0.25\n");

        sim.fakeMetrics(new FakeMetrics(7, 3, 0.5));
        assertThat(WireClient.get(sim.port(), "/metrics").body()).contains("vllm:num_requests_running{model_name=\"m\"} 7\n",
                "vllm:num_requests_waiting{model_name=\"m\"} 3\n", "vllm:kv_cache_usage_perc{model_name=\"m\"} 0.5\n");
    }

    @Test
    void aPrefillServerSaysWhereItsBlocksAre() throws IOException {
        SimServer sim = sim(options());
        String body = WireClient.post(sim.port(), CHAT_PATH,
                chat(",\"max_tokens\":1,\"kv_transfer_params\":{\"do_remote_decode\":true}")).body();
        assertThat(body).contains("\"finish_reason\":\"remote_decode\"", "\"remote_port\":" + sim.port(), "\"do_remote_prefill\":true");
    }

    @Test
    void aSeedMakesAnswersRepeatable() throws IOException {
        SimOptions seeded = SimOptions.of("m").withSeed(7);
        String first = WireClient.post(sim(seeded).port(), CHAT_PATH, chat("")).body().replaceAll("created\":\\d+", "");
        assertThat(WireClient.post(sim(seeded).port(), CHAT_PATH, chat("")).body().replaceAll("created\":\\d+", "")).isEqualTo(first);
    }

    @Test
    void itIsReadyOnlyAfterItsStartupTime() throws IOException {
        SimServer starting = sim(options().withTimes(Duration.ZERO, Duration.ofHours(1)));
        assertThat(WireClient.get(starting.port(), "/health/ready").status()).isEqualTo(503);
        assertThat(WireClient.get(sim(options()).port(), "/health/ready").status()).isEqualTo(200);
    }

    @Test
    void aKilledServerRefusesAndARevivedOneAnswersOnTheSamePort() throws IOException {
        SimServer sim = sim(options().withSlots(1, 1).withLatency(FOREVER));
        WireClient runs = client(sim).sendPost(CHAT_PATH, chat(""));
        await().until(() -> sim.running() == 1);

        sim.kill();

        assertThatThrownBy(() -> WireClient.get(sim.port(), "/health"))
                .hasCauseInstanceOf(ConnectException.class);
        assertThatThrownBy(runs::readHead).isInstanceOf(IOException.class);
        await().until(() -> sim.running() == 0);
        sim.revive();
        assertThat(WireClient.get(sim.port(), "/health").status()).isEqualTo(200);
    }
}
