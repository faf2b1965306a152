package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.proxy.config.MetricsSettings.Engines;
import io.penstock.proxy.endpoint.EngineMetrics.Use;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrometheusTextTest {

    private static final Use WAITING = Use.WAITING;
    private static final Use RUNNING = Use.RUNNING;
    private static final Use KV = Use.KV_USAGE;

    private PrometheusText text = engine("vllm");

    @Test
    void aVllmPageOfTwoEngineCoresIsSummedAndItsFullestCacheCounts() throws IOException {
        read(resource("vllm-page.txt"));
        assertThat(value(WAITING)).isEqualTo(7);
        assertThat(value(RUNNING)).isEqualTo(48);
        assertThat(value(KV)).isEqualTo(0.8125);
        assertThat(has(WAITING) && has(RUNNING) && has(KV)).isTrue();
    }

    /** MET-03: a hundred endpoints every 50 ms are 2000 pages a second. */
    @Test
    void aPageThatSaysWhatItSaidBeforeAllocatesNextToNothing() throws IOException {
        ByteBuf page = Unpooled.wrappedBuffer(resource("vllm-page.txt").getBytes(StandardCharsets.UTF_8));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        pages(page, 5_000);
        long before = threads.getCurrentThreadAllocatedBytes();
        pages(page, 5_000);
        assertThat((threads.getCurrentThreadAllocatedBytes() - before) / 5_000).as("bytes a page").isLessThan(256);
        assertThat(value(WAITING)).isEqualTo(7);
    }

    private void pages(ByteBuf page, int count) {
        for (int i = 0; i < count; i++) {
            text.reset();
            text.feed(page.duplicate());
            text.finish();
        }
    }

    @Test
    void anSglangPageIsReadByItsOwnNames() throws IOException {
        text = engine("sglang");
        read(resource("sglang-page.txt"));
        assertThat(value(WAITING)).isEqualTo(4);
        assertThat(value(RUNNING)).isEqualTo(11);
        assertThat(value(KV)).isEqualTo(0.61);
    }

    @Test
    void aPageCutAnywhereIntoPiecesReadsTheSame() throws IOException {
        byte[] page = resource("vllm-page.txt").getBytes(StandardCharsets.UTF_8);
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            text.reset();
            int at = 0;
            while (at < page.length) {
                int size = Math.min(page.length - at, 1 + random.nextInt(round < 20 ? 2 : 300));
                text.feed(Unpooled.wrappedBuffer(page, at, size));
                at += size;
            }
            text.finish();
            assertThat(value(WAITING)).isEqualTo(7);
            assertThat(value(RUNNING)).isEqualTo(48);
            assertThat(value(KV)).isEqualTo(0.8125);
        }
    }

    @Test
    void labelsMayHoldBracesEscapedQuotesAndHashes() {
        read("vllm:num_requests_waiting{model_name=\"a\\\"} 99\\n\\\\\",x=\"{#}\"} 3\n");
        assertThat(has(WAITING)).isTrue();
        assertThat(value(WAITING)).isEqualTo(3);
    }

    @Test
    void aFamilyWhoseNameBeginsLikeAWantedOneIsAnother() {
        read("vllm:num_requests_waiting_by_reason{reason=\"capacity\"} 9\nvllm:num_requests_wait 8\nxvllm:num_requests_waiting 7\n"
                + "# vllm:num_requests_waiting 6\nvllm:num_requests_waiting 5\n");
        assertThat(value(WAITING)).isEqualTo(5);
    }

    @Test
    void blanksCarriageReturnsAndTimestampsAreAllowed() {
        read("  vllm:num_requests_waiting\t{a=\"b\"}  4.0 1796032581000\r\nvllm:num_requests_running 2\r\n\n");
        assertThat(value(WAITING)).isEqualTo(4);
        assertThat(value(RUNNING)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "+Inf", "-Inf", "Infinity", "-1", "abc", "1d", "0x1p3", "1.2.3", ".", "1,5", "--1", "1e", "1e999",
        "11111111111111111111111111111111111111111111111111", "\u0663"})
    void aValueThatIsNoCountSpoilsItsFamilyOnly(String value) {
        read("vllm:num_requests_waiting{engine=\"0\"} 1\nvllm:num_requests_waiting{engine=\"1\"} " + value
                + "\nvllm:kv_cache_usage_perc 0.5\n");
        assertThat(has(WAITING)).isFalse();
        assertThat(has(KV)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm:num_requests_waiting\n", "vllm:num_requests_waiting \n", "vllm:num_requests_waiting{a=\"b\"\n",
        "vllm:num_requests_waiting{a=\"b\n", "vllm:num_requests_waiting{a=\"\\\n", "vllm:num_requests_waiting{}\n",
        "vllm:num_requests_waiting 12", "vllm:num_requests_waiting{a=\"", "vllm:num_requests_waiting{"})
    void aBrokenOrCutLineOfAWantedFamilySpoilsIt(String line) {
        read("vllm:num_requests_waiting 1\n" + line);
        assertThat(has(WAITING)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "0.8125", "1.0", "1e0", "8.125e-01", "+0.5", "0.123456789012345678"})
    void numbersOfEveryUsualFormAreExact(String value) {
        read("vllm:kv_cache_usage_perc " + value + "\n");
        assertThat(value(KV)).isEqualTo(Double.parseDouble(value));
    }

    @Test
    void usageAboveOneIsFullByRoundingAndUnreadableBeyond() {
        read("vllm:kv_cache_usage_perc 1.0000001\n");
        assertThat(value(KV)).isEqualTo(1.0);
        read("vllm:kv_cache_usage_perc 55\n");
        assertThat(has(KV)).isFalse();
    }

    @Test
    void aPageThatFollowsABrokenOneIsReadAnew() {
        read("vllm:num_requests_waiting NaN\nvllm:num_requests_running 3\nvllm:kv_cache_usage_perc{a=\"");
        read("vllm:num_requests_waiting 2\nvllm:kv_cache_usage_perc 0.25\n");
        assertThat(value(WAITING)).isEqualTo(2);
        assertThat(value(KV)).isEqualTo(0.25);
        assertThat(has(RUNNING)).isFalse();
    }

    @Test
    void randomBytesNeverThrow() {
        Random random = new Random(11);
        byte[] alphabet = "vllm:num_requests_waiting{}\"\\\n #=,0123456789.eE+-\tkcheusgprun".getBytes(StandardCharsets.US_ASCII);
        for (int round = 0; round < 2_000; round++) {
            byte[] page = new byte[random.nextInt(200)];
            for (int i = 0; i < page.length; i++) {
                page[i] = random.nextInt(50) == 0 ? (byte) random.nextInt(256) : alphabet[random.nextInt(alphabet.length)];
            }
            text.reset();
            text.feed(Unpooled.wrappedBuffer("vllm:num_requests_waiting".getBytes(StandardCharsets.US_ASCII), page));
            text.finish();
            assertThat(value(WAITING)).isNotNaN();
        }
    }

    @Test
    void theRecordedPagesAreRead() throws IOException {
        String beside = Path.of(System.getProperty("penstock.root", "."), "..", "shared").toString();
        Path shared = Path.of(System.getProperty("penstock.shared", beside), "data", "metrics");
        if (!Files.isDirectory(shared)) {
            String skipped = "SKIPPED: no recorded pages at " + shared;
            System.err.println(skipped);
            Assumptions.abort(skipped);
        }
        read(Files.readString(shared.resolve("vllm.prom")));
        assertThat(has(WAITING) && has(RUNNING) && has(KV)).isTrue();
        assertThat(value(KV)).isBetween(0.0, 1.0);
        text = engine("sglang");
        read(Files.readString(shared.resolve("sglang.prom")));
        assertThat(value(WAITING)).isEqualTo(3);
        assertThat(value(RUNNING)).isEqualTo(12);
        assertThat(value(KV)).isEqualTo(0.55, within(1e-12));
    }

    private static PrometheusText engine(String name) {
        return new PrometheusText(Engines.BUILT_IN.of(Map.of("llm-d.ai/engine-type", name)));
    }

    private boolean has(Use use) {
        return text.values().has(text.engine().indexOf(use));
    }

    private double value(Use use) {
        return text.values().value(text.engine().indexOf(use));
    }

    private void read(String page) {
        ByteBuf bytes = Unpooled.copiedBuffer(page, StandardCharsets.UTF_8);
        text.reset();
        text.feed(bytes);
        text.finish();
        bytes.release();
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = PrometheusTextTest.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
