package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.flow.EngineSample;
import io.penstock.proxy.config.MetricsSettings;
import io.penstock.proxy.net.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetricsScraperTest {

    private static final Duration OFTEN = Duration.ofMillis(50);
    private static final Duration SELDOM = Duration.ofMinutes(10);

    private final EndpointPool pool = new EndpointPool(System::nanoTime);
    private final AtomicInteger signals = new AtomicInteger();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> unread = new ConcurrentLinkedQueue<>();
    private final ScrapeEvents events = new ScrapeEvents() {
        @Override
        public void pollFailed(Endpoint endpoint, String reason) {
            failures.add(reason.startsWith("status") ? "status" : reason);
        }

        @Override
        public void extractFailed(Endpoint endpoint, String family) {
            unread.add(family);
        }
    };
    private PageServer server;
    private MetricsScraper scraper;

    @BeforeEach
    void serve() throws IOException {
        server = new PageServer(() -> PageServer.vllm(3, 7, 0.25));
    }

    @AfterEach
    void close() throws IOException {
        if (scraper != null) {
            scraper.close();
        }
        server.close();
    }

    @Test
    void samplesComeOverOneKeptConnectionAndEachIsSignalled() {
        long before = System.nanoTime();
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> server.requests.get() >= 5 && signals.get() >= 4);
        EngineSample sample = endpoint.sample();
        assertThat(sample.waiting()).isEqualTo(3);
        assertThat(sample.running()).isEqualTo(7);
        assertThat(sample.kvCacheUsage()).isEqualTo(0.25);
        assertThat(sample.atNanos() - before).isPositive();
        assertThat(server.connections).hasValue(1);
        assertThat(failures).isEmpty();
        assertThat(unread).isEmpty();
    }

    @Test
    void aRequestDispatchedWhileThePageIsMadeIsNotTakenForSampled() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch rendered = new CountDownLatch(1);
        server.answers = () -> {
            asked.countDown();
            rendered.await();
            return PageServer.vllm(0, 0, 0.0);
        };
        Endpoint endpoint = scrape(SELDOM);
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        EndpointLease lease = endpoint.charge(0, Fleet.NO_SIGNAL);
        rendered.countDown();
        patiently().until(() -> endpoint.sample() != null);
        assertThat(endpoint.dispatchedSinceSample()).isEqualTo(1);

        EngineSample first = endpoint.sample();
        endpoint.requestSample();
        patiently().until(() -> endpoint.sample() != first);
        assertThat(endpoint.dispatchedSinceSample()).isZero();
        lease.close();
        assertThat(endpoint.dispatchedSinceSample()).isZero();
    }

    @Test
    void aSampleThatIsAskedForComesAtOnceAndNotMoreThanEveryTenMillis() {
        Endpoint endpoint = scrape(SELDOM);
        patiently().until(() -> signals.get() == 1);
        long started = System.nanoTime();
        long until = started + TimeUnit.MILLISECONDS.toNanos(200);
        long atMost = started + TimeUnit.SECONDS.toNanos(20);
        while (System.nanoTime() - until < 0 || server.requests.get() < 4 && System.nanoTime() - atMost < 0) {
            endpoint.requestSample();
        }
        long elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
        assertThat(server.requests.get()).isGreaterThanOrEqualTo(4);
        assertThat(server.requests.get() - 1).isLessThanOrEqualTo((int) (elapsed / 10) + 2);
    }

    @Test
    void aPageThatTakesTooLongIsGivenUpAndNeverAskedForTwiceAtATime() {
        Endpoint endpoint = scrape(OFTEN, Duration.ofMillis(100));
        patiently().until(() -> endpoint.sample() != null);
        server.answers = server::never;
        patiently().until(() -> failures.size() >= 3);
        assertThat(failures).containsOnly("no answer in time");
        assertThat(endpoint.sample().waiting()).isEqualTo(3);
        // Each was given up together with its connection, so that the server may forget it too.
        patiently().until(() -> server.openConnections() - server.answering.get() <= 1);
        server.answers = () -> PageServer.vllm(4, 7, 0.25);
        patiently().until(() -> endpoint.sample().waiting() == 4);
    }

    @Test
    void scrapesOfOneEndpointNeverOverlap() {
        CountDownLatch pause = new CountDownLatch(1);
        server.answers = () -> {
            assertThat(pause.await(120, TimeUnit.MILLISECONDS)).isFalse();
            return PageServer.vllm(1, 1, 0.1);
        };
        scrape(OFTEN);
        patiently().until(() -> server.requests.get() >= 4);
        assertThat(server.mostAnswering).hasValue(1);
        assertThat(failures).isEmpty();
    }

    /** On a clock on which reading takes a hundred times as long, so that a page of the largest size is a burden. */
    @Test
    void aPageThatTakesLongToReadIsAskedForLessOftenThanOthers() throws IOException {
        byte[] heavy = PageServer.page("vllm:num_requests_running 1\nvllm:kv_cache_usage_perc 0\n"
                + "vllm:num_requests_waiting 0\n".repeat(60_000));
        try (PageServer heavyServer = new PageServer(() -> heavy)) {
            scraper = new MetricsScraper(Transport.nio(), new ScrapeSettings(MetricsSettings.every(OFTEN), Duration.ofHours(1),
                    ScrapeSettings.DEFAULT_MAX_BYTES), () -> System.nanoTime() * 100, signals::incrementAndGet, events);
            pool.listen(scraper);
            pool.replace(List.of(Fleet.spec("heavy", heavyServer.port()), Fleet.spec("light", server.port())));
            patiently().until(() -> heavyServer.requests.get() >= 2 && server.requests.get() >= 40);
            assertThat(heavyServer.requests.get()).isLessThan(server.requests.get() / 4);
            assertThat(failures).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"})
    void withoutAFamilyThatGatesHangOnThereIsNoFreshSample(String missing) {
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> endpoint.sample() != null);
        server.answers = () -> PageServer.page(("vllm:num_requests_waiting 1\nvllm:num_requests_running 1\n"
                + "vllm:kv_cache_usage_perc 0.1\n").replace(missing, "vllm:another"));
        patiently().until(() -> !unread.isEmpty());
        EngineSample last = endpoint.sample();
        int seen = unread.size();
        patiently().until(() -> unread.size() >= seen + 3);
        assertThat(endpoint.sample()).isSameAs(last);
        assertThat(unread).containsOnly(missing);
        assertThat(failures).isEmpty();
    }

    @Test
    void withoutTheRunningFamilyTheSampleKeepsTheLastKnown() {
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> endpoint.sample() != null);
        server.answers = () -> PageServer.page("vllm:num_requests_waiting 1\nvllm:kv_cache_usage_perc 0.1\n");
        patiently().until(() -> endpoint.sample().waiting() == 1);
        assertThat(endpoint.sample().running()).isEqualTo(7);
        assertThat(unread).containsOnly("vllm:num_requests_running");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 302 Found\r\nlocation: /x\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n", "\0\1\2\3 not http\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n",
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\n\r", "HTTP/1.1 204 No Content\r\n\r\n"})
    void aBrokenAnswerIsCountedAndScrapingGoesOn(String answer) {
        server.answers = () -> answer.getBytes(StandardCharsets.ISO_8859_1);
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> failures.size() >= 2);
        assertThat(endpoint.sample()).isNull();
        server.answers = () -> PageServer.vllm(1, 1, 0.1);
        patiently().until(() -> endpoint.sample() != null);
    }

    @Test
    void aPageThatIsCutOffIsNoPage() {
        byte[] whole = PageServer.vllm(9, 9, 0.9);
        server.answers = () -> java.util.Arrays.copyOf(whole, whole.length - 20);
        server.closing = true;
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> failures.size() >= 2);
        assertThat(endpoint.sample()).isNull();
        assertThat(failures).containsOnly("connection closed");
    }

    @Test
    void endlessHeadersAndEndlessPagesAreCutShort() {
        server.answers = () -> ("HTTP/1.1 200 OK\r\nx: " + "y".repeat(100_000)).getBytes(StandardCharsets.ISO_8859_1);
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> failures.contains("malformed answer"));
        server.answers = () -> PageServer.page("vllm:num_requests_waiting 1\n" + "#".repeat(ScrapeSettings.DEFAULT_MAX_BYTES));
        patiently().until(() -> failures.contains("more than 2097152 bytes"));
        assertThat(endpoint.sample()).isNull();
    }

    @Test
    void aKeptConnectionThatClosesBetweenScrapesIsNoFailure() {
        server.closing = true;
        scrape(OFTEN);
        patiently().until(() -> signals.get() >= 5);
        assertThat(failures).isEmpty();
        assertThat(server.connections.get()).isGreaterThanOrEqualTo(5);
    }

    @Test
    void aKeptConnectionThatDiesUnderTheQuestionIsReplacedOnce() {
        // every second request finds its connection closed
        server.answers = () -> server.requests.get() % 2 == 0 ? new byte[0] : PageServer.vllm(1, 1, 0.1);
        scrape(OFTEN);
        patiently().until(() -> signals.get() >= 4);
        assertThat(failures).isEmpty();
        server.answers = () -> new byte[0];
        patiently().until(() -> !failures.isEmpty());
        assertThat(failures).containsOnly("connection closed");
    }

    @Test
    void aServerThatIsDownAtStartIsSampledOnceItIsUp() throws IOException {
        int port = server.port();
        server.close();
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> failures.size() >= 3);
        assertThat(failures).containsOnly("no connection");
        assertThat(endpoint.sample()).isNull();
        server = new PageServer(() -> PageServer.vllm(2, 2, 0.2), port);
        patiently().until(() -> endpoint.sample() != null);
    }

    @Test
    void aRemovedEndpointIsScrapedNoMore() {
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> endpoint.sample() != null);
        pool.replace(List.of());
        patiently().until(() -> server.openConnections() == 0);
        EngineSample last = endpoint.sample();
        endpoint.requestSample();
        pool.replace(List.of(Fleet.spec("b", server.port())));
        patiently().until(() -> pool.find("default/b").sample() != null);
        assertThat(endpoint.sample()).isSameAs(last);
    }

    @Test
    void newLabelsAreReadFromTheNextScrapeOn() {
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> endpoint.sample() != null);
        server.answers = () -> PageServer.page("sglang:num_queue_reqs 5\nsglang:num_running_reqs 6\nsglang:token_usage 0.5\n");
        pool.replace(List.of(EndpointSpec.of("a", "127.0.0.1", server.port(), Map.of("llm-d.ai/engine-type", "sglang"))));
        patiently().until(() -> endpoint.sample().waiting() == 5);
    }

    @Test
    void aSignalThatThrowsDoesNotEndScraping() throws IOException {
        scraper = new MetricsScraper(Transport.nio(), ScrapeSettings.every(OFTEN), System::nanoTime, () -> {
            signals.incrementAndGet();
            throw new IllegalStateException("thrown by a test");
        }, ScrapeEvents.NONE);
        pool.replace(List.of(Fleet.spec("a", server.port())));
        pool.listen(scraper);
        patiently().until(() -> signals.get() >= 2);
    }

    @Test
    void closingEndsConnectionsAndThreadAndMayBeRepeated() {
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> endpoint.sample() != null);
        scraper.close();
        patiently().until(() -> server.openConnections() == 0);
        scraper.close();
        endpoint.requestSample();
        pool.replace(List.of());
        patiently().until(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(t -> t.getName().startsWith("penstock-scraper")));
    }

    @Test
    void aRequestWhileAScrapeRunsIsAnsweredByAnotherAfterIt() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch rendered = new CountDownLatch(1);
        server.answers = () -> {
            asked.countDown();
            rendered.await();
            return PageServer.vllm(0, 0, 0.0);
        };
        Endpoint endpoint = scrape(SELDOM);
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        endpoint.charge(0, Fleet.NO_SIGNAL);
        endpoint.requestSample();
        endpoint.requestSample();
        rendered.countDown();
        patiently().until(() -> endpoint.sample() != null && endpoint.dispatchedSinceSample() == 0);
        patiently().during(Duration.ofMillis(100)).until(() -> server.requests.get() == 2);
    }

    @Test
    void aFailingEndpointIsNotAskedMoreOftenOnDemand() {
        server.answers = () -> "HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
        Endpoint endpoint = scrape(SELDOM);
        patiently().until(() -> failures.size() == 1);
        endpoint.requestSample();
        patiently().during(Duration.ofMillis(100)).until(() -> server.requests.get() == 1);
    }

    @Test
    void aRedirectIsNotFollowed() throws IOException {
        try (PageServer elsewhere = new PageServer(() -> PageServer.vllm(1, 1, 0.1))) {
            server.answers = () -> ("HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: http://127.0.0.1:" + elsewhere.port()
                    + "/metrics\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
            scrape(OFTEN);
            patiently().until(() -> failures.size() >= 2);
            assertThat(elsewhere.connections).hasValue(0);
        }
    }

    @Test
    void aChunkedPageIsReadAndATrickleIsNot() {
        String page = "vllm:num_requests_waiting 3\nvllm:num_requests_running 1\nvllm:kv_cache_usage_perc 0.5\n";
        String head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        server.answers = () -> (head + "5\r\n" + page.substring(0, 5) + "\r\n" + Integer.toHexString(page.length() - 5) + "\r\n"
                + page.substring(5) + "\r\n0\r\nx: y\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        Endpoint endpoint = scrape(OFTEN, Duration.ofMillis(300));
        patiently().until(() -> endpoint.sample() != null);
        assertThat(failures).isEmpty();
        // The last chunk never comes, whatever comes of the page.
        server.answers = () -> (head + Integer.toHexString(page.length()) + "\r\n" + page + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        EngineSample last = endpoint.sample();
        patiently().until(() -> failures.size() >= 2);
        assertThat(failures).containsOnly("no answer in time");
        assertThat(endpoint.sample().atNanos() - last.atNanos()).as("at most the one that was on its way").isLessThan(300_000_000L);
    }

    @Test
    void whatFollowsThePageIsNoAnswerToTheNextQuestion() {
        byte[] page = PageServer.vllm(1, 1, 0.1);
        String forged = new String(page, StandardCharsets.ISO_8859_1) + new String(PageServer.vllm(9, 9, 0.9), StandardCharsets.ISO_8859_1);
        server.answers = () -> forged.getBytes(StandardCharsets.ISO_8859_1);
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> signals.get() >= 3);
        assertThat(endpoint.sample().waiting()).isEqualTo(1);
        assertThat(server.connections.get()).as("each such connection is closed").isGreaterThanOrEqualTo(3);
    }

    @Test
    void withoutALoraFamilyNobodyComplains() {
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> signals.get() >= 3);
        assertThat(unread).isEmpty();
        assertThat(endpoint.engine()).isEqualTo(EngineInfo.NONE);
        server.answers = () -> PageServer.page("vllm:num_requests_waiting 1\nvllm:num_requests_running 0\nvllm:kv_cache_usage_perc 0.1\n"
                + "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"a\",waiting_lora_adapters=\"\"} 1.5\n");
        patiently().until(() -> endpoint.engine().lora() != null);
        assertThat(endpoint.engine().lora()).isEqualTo(new EngineInfo.Lora(List.of("a"), List.of(), 2));
    }

    @Test
    void anotherServerAtTheSameAddressInheritsNothing() throws IOException {
        server.answers = () -> PageServer.page("vllm:num_requests_waiting 8\nvllm:num_requests_running 9\nvllm:kv_cache_usage_perc 0.9\n"
                + "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"a\",waiting_lora_adapters=\"\"} 1.5\n");
        Endpoint endpoint = scrape(OFTEN);
        patiently().until(() -> endpoint.sample() != null);
        int port = server.port();
        server.close();
        patiently().until(() -> !failures.isEmpty());
        server = new PageServer(() -> PageServer.vllm(0, 1, 0.0), port);
        patiently().until(() -> endpoint.sample().waiting() == 0);
        assertThat(endpoint.sample().running()).isEqualTo(1);
        assertThat(endpoint.engine()).isEqualTo(EngineInfo.NONE);
    }

    @Test
    void anEngineWithoutRunningAndCacheIsSampledByItsQueue() {
        server.answers = () -> PageServer.page("nv_inference_pending_request_count{model=\"a\"} 2\n"
                + "nv_inference_pending_request_count{model=\"b\"} 3\nnv_inference_exec_count{model=\"a\"} 123456\n");
        pool.replace(List.of(EndpointSpec.of("a", "127.0.0.1", server.port(), Map.of("llm-d.ai/engine-type", "triton"))));
        Endpoint endpoint = scraped(OFTEN);
        patiently().until(() -> endpoint.sample() != null);
        assertThat(endpoint.sample().waiting()).isEqualTo(5);
        assertThat(endpoint.sample().running()).as("not said").isNegative();
        assertThat(endpoint.sample().kvCacheUsage()).isZero();
        assertThat(unread).isEmpty();
    }

    @Test
    void aListenerThatThrowsDoesNotEndScraping() throws IOException {
        AtomicInteger calls = new AtomicInteger();
        ScrapeEvents broken = new ScrapeEvents() {
            @Override
            public void pollFailed(Endpoint endpoint, String reason) {
                calls.incrementAndGet();
                throw new IllegalStateException("thrown by a test");
            }

            @Override
            public void extractFailed(Endpoint endpoint, String family) {
                calls.incrementAndGet();
                throw new IllegalStateException("thrown by a test");
            }
        };
        scraper = new MetricsScraper(Transport.nio(), ScrapeSettings.every(OFTEN), System::nanoTime, signals::incrementAndGet, broken);
        server.answers = () -> PageServer.page("");
        pool.replace(List.of(Fleet.spec("a", server.port())));
        pool.listen(scraper);
        patiently().until(() -> calls.get() >= 2);
        server.answers = () -> new byte[0];
        int seen = calls.get();
        patiently().until(() -> calls.get() >= seen + 2);
        server.answers = () -> PageServer.vllm(1, 1, 0.1);
        patiently().until(() -> signals.get() >= 1);
    }

    @Test
    void anIntervalBelowTheFloorIsLengthened() {
        assertThat(ScrapeSettings.every(Duration.ofMillis(1)).interval()).isEqualTo(ScrapeSettings.MIN_INTERVAL);
    }

    private Endpoint scrape(Duration interval) {
        return scrape(interval, Duration.ofSeconds(1));
    }

    private Endpoint scrape(Duration interval, Duration timeout) {
        pool.replace(List.of(Fleet.spec("a", server.port())));
        return scraped(interval, timeout);
    }

    private Endpoint scraped(Duration interval) {
        return scraped(interval, Duration.ofSeconds(1));
    }

    private Endpoint scraped(Duration interval, Duration timeout) {
        ScrapeSettings settings = new ScrapeSettings(MetricsSettings.every(interval), timeout, ScrapeSettings.DEFAULT_MAX_BYTES);
        try {
            scraper = new MetricsScraper(Transport.detect(false), settings, System::nanoTime, signals::incrementAndGet, events);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        pool.listen(scraper);
        Endpoint endpoint = pool.find("default/a");
        assertThat(endpoint).isNotNull();
        return endpoint;
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(5));
    }
}
