package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.proxy.config.EngineConfig;
import io.penstock.proxy.config.EngineConfig.Custom;
import io.penstock.proxy.config.MetricSpec;
import io.penstock.proxy.config.MetricsSettings.Engines;
import io.penstock.proxy.endpoint.EngineInfo.Lora;
import io.penstock.proxy.endpoint.EngineMetrics.Use;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of a page: the engines' tables, labels of series, adapters, geometry and custom values. */
class EngineTablesTest {

    private PrometheusText text = engine("vllm");

    @Test
    void aTritonPageWithTheTensorrtBackendIsReadByTheLabelsOfItsSeries() {
        text = engine("triton-tensorrt-llm");
        read("""
                nv_trt_llm_request_metrics{model="m",request_type="waiting",version="1"} 3
                nv_trt_llm_request_metrics{model="m",request_type="scheduled",version="1"} 20
                nv_trt_llm_request_metrics{model="m",request_type="max",version="1"} 512
                nv_trt_llm_request_metrics{model="n",request_type="waiting",version="1"} 4
                nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="m",version="1"} 0.25
                nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="tokens_per",model="m",version="1"} 64
                nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="m",version="1"} 6239
                nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="used",model="m",version="1"} 77
                """);
        assertThat(value(Use.WAITING)).isEqualTo(7);
        assertThat(value(Use.RUNNING)).isEqualTo(20);
        assertThat(value(Use.KV_USAGE)).isEqualTo(0.25);
        assertThat(text.info()).isEqualTo(new EngineInfo(null, 64L, 6239L, Map.of()));
    }

    @Test
    void aPageOfTensorrtsOwnServerIsReadByItsNames() {
        text = engine("trtllm-serve");
        read("trtllm_num_requests_waiting 3\ntrtllm_num_requests_running 20\ntrtllm_kv_cache_utilization 0.25\n"
                + "trtllm_kv_cache_tokens_per_block 32\ntrtllm_kv_cache_max_blocks 6239\n");
        assertThat(value(Use.WAITING)).isEqualTo(3);
        assertThat(value(Use.RUNNING)).isEqualTo(20);
        assertThat(value(Use.KV_USAGE)).isEqualTo(0.25);
        assertThat(text.info()).isEqualTo(new EngineInfo(null, 32L, 6239L, Map.of()));
    }

    @Test
    void theGeometryStandsInLabels() {
        read("vllm:cache_config_info{num_gpu_blocks=\"1024\",block_size=\"16\",x=\"block_size\"} 1\n");
        assertThat(text.info()).isEqualTo(new EngineInfo(null, 16L, 1024L, Map.of()));
        read("vllm:cache_config_info{block_size=\"None\",num_gpu_blocks=\"-1\"} 1\n");
        assertThat(text.info()).isEqualTo(EngineInfo.NONE);
        read("vllm:cache_config_info{block_size=\"9223372036854775808\",num_gpu_blocks=\"18446744073709551615\"} 1\n");
        assertThat(text.info()).as("beyond any number").isEqualTo(EngineInfo.NONE);
        text = engine("sglang");
        read("sglang:cache_config_info{page_size=\"64\",num_pages=\"4096\"} 1.0\n");
        assertThat(text.info()).isEqualTo(new EngineInfo(null, 64L, 4096L, Map.of()));
    }

    @Test
    void theNewestSeriesByItsValueTellsOfAdapters() {
        read("""
                vllm:lora_requests_info{max_lora="4",running_lora_adapters="old",waiting_lora_adapters="older"} 1.7960325e+09
                vllm:lora_requests_info{max_lora="4",running_lora_adapters="a, b,,a",waiting_lora_adapters="c"} 1.7960326e+09
                vllm:lora_requests_info{max_lora="0",running_lora_adapters="",waiting_lora_adapters=""} 1.7960324e+09
                """);
        assertThat(text.info().lora()).isEqualTo(new Lora(List.of("a", "b"), List.of("c"), 4));
        read("vllm:lora_requests_info{running_lora_adapters=\"\",waiting_lora_adapters=\"\"} 1.7960327e+09\n");
        assertThat(text.info().lora()).isEqualTo(new Lora(List.of(), List.of(), null));
        read("vllm:num_requests_waiting 1\n");
        assertThat(text.info().lora()).isNull();
        assertThat(text.values().failed(text.engine().indexOf(Use.LORA))).as("absent is in order").isFalse();
        read("vllm:lora_requests_info{running_lora_adapters=\"x\"} NaN\n");
        assertThat(text.info().lora()).isNull();
        assertThat(text.values().failed(text.engine().indexOf(Use.LORA))).as("broken is not").isTrue();
    }

    @Test
    void whatIsAsItWasIsTheSameObject() {
        String page = "vllm:lora_requests_info{running_lora_adapters=\"a\",waiting_lora_adapters=\"\",max_lora=\"1\"} ";
        read(page + "1\n");
        EngineInfo first = text.info();
        read(page + "2\n");
        assertThat(text.info()).isSameAs(first);
    }

    @Test
    void aSeriesIsSelectedByAllItsLabelsWhateverTheirOrder() {
        text = custom("m{a=1,b=\"x \\\"y\\\"\"}", "m", "m{a=2}", "n");
        read("m{b=\"x \\\"y\\\"\",c=\"3\",a=\"1\"} 10\nm{a=\"1\"} 20\nm{a=\"2\",a=\"1\",b=\"z\"} 30\nm 40\n");
        assertThat(text.info().attributes()).isEqualTo(Map.of("k0", 10.0, "k1", 10.0, "k2", 30.0));
        assertThat(text.values().failed(text.engine().indexOf(Use.CUSTOM) + 3)).as("n is missing").isTrue();
    }

    @Test
    void aCustomValueMayBeNegativeAndTheFirstSeriesCounts() {
        text = custom("m");
        read("m{a=\"1\"} -2.5\nm{a=\"2\"} 7\n");
        assertThat(text.info().attributes()).isEqualTo(Map.of("k0", -2.5));
        read("m 1\nm +Inf\n");
        assertThat(text.info().attributes()).isEmpty();
    }

    @Test
    void shortNamesAreReadThoughTheyCannotBeFiltered() {
        text = custom("q", "much_longer_than_eight");
        read("q 1\nmuch_longer_than_eight 2\nx 3\nmuch_longer_than_nine 4\n  q 5\n");
        assertThat(text.info().attributes()).isEqualTo(Map.of("k0", 1.0, "k1", 2.0));
    }

    @Test
    void asManySpecsAsAConfigurationMayHoldAreRead() {
        String[] specs = new String[32];
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < specs.length; i++) {
            specs[i] = "metric_number_" + i;
            page.append(specs[i]).append(' ').append(i).append('\n');
        }
        text = custom(specs);
        read(page.toString());
        assertThat(text.info().attributes()).hasSize(specs.length).containsEntry("k31", 31.0);
    }

    @Test
    void openMetricsWithExemplarsTimestampsAndItsEndIsRead() {
        read("# TYPE vllm:num_requests_waiting gauge\n# UNIT x y\nvllm:num_requests_waiting{m=\"a\"} 3 # {trace_id=\"1 } 9\"} 7 1.5\n"
                + "vllm:kv_cache_usage_perc 0.5 1796032581.5 # {a=\"b\"} 1\r\n# EOF\n");
        assertThat(value(Use.WAITING)).isEqualTo(3);
        assertThat(value(Use.KV_USAGE)).isEqualTo(0.5);
    }

    @Test
    void aLineOfTenMegabytesIsSkippedOrSpoilsItsFamilyOnly() {
        String flood = "x".repeat(10 << 20);
        read("vllm:lora_requests_info{running_lora_adapters=\"" + flood + "\"} 1\n" + flood
                + "\nvllm:num_requests_waiting{" + flood + "=\"y\"} 2\nvllm:kv_cache_usage_perc 0." + flood + "\n");
        assertThat(value(Use.WAITING)).isEqualTo(2);
        assertThat(text.values().has(text.engine().indexOf(Use.KV_USAGE))).isFalse();
        assertThat(text.info().lora().running()).singleElement().asString().hasSize(16 << 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm", "sglang"})
    void noMutationOfAPageThrowsOrYieldsWhatCannotBe(String engine) throws IOException {
        byte[] page = resource(engine + "-page.txt");
        text = engine(engine);
        Random random = new Random(5);
        for (int round = 0; round < 2_000; round++) {
            byte[] mutated = mutated(page, random);
            int cut = random.nextInt(mutated.length + 1);
            text.reset();
            text.feed(Unpooled.wrappedBuffer(mutated, 0, cut));
            text.feed(Unpooled.wrappedBuffer(mutated, cut, mutated.length - cut));
            text.finish();
            checkValues();
            EngineInfo info = text.info();
            boolean sane = info.cacheBlockSize() == null || info.cacheBlockSize() >= 0;
            assertThat(sane).as("round %s: %s", round, info).isTrue();
        }
    }

    private void checkValues() {
        for (Use use : List.of(Use.WAITING, Use.RUNNING, Use.KV_USAGE)) {
            int slot = text.engine().indexOf(use);
            double value = text.values().value(slot);
            boolean possible = !text.values().has(slot) || value >= 0 && Double.isFinite(value) && (use != Use.KV_USAGE || value <= 1);
            assertThat(possible).as("%s %s", use, value).isTrue();
        }
    }

    /** Some bytes changed, some taken out, and a part of the page repeated somewhere. */
    private static byte[] mutated(byte[] page, Random random) {
        List<Byte> bytes = new ArrayList<>(page.length);
        for (byte b : page) {
            bytes.add(b);
        }
        byte[] sharp = "\n{}\"\\ #=,eE+-.0NaIf\r\t\0".getBytes(StandardCharsets.US_ASCII);
        for (int i = random.nextInt(20); i > 0; i--) {
            int at = random.nextInt(bytes.size());
            switch (random.nextInt(3)) {
                case 0 -> bytes.set(at, random.nextBoolean() ? (byte) random.nextInt(256) : sharp[random.nextInt(sharp.length)]);
                case 1 -> bytes.subList(at, Math.min(bytes.size(), at + random.nextInt(30))).clear();
                default -> bytes.addAll(at, List.copyOf(bytes.subList(at / 2, Math.min(bytes.size(), at / 2 + random.nextInt(200)))));
            }
        }
        byte[] result = new byte[bytes.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = bytes.get(i);
        }
        return result;
    }

    @Test
    void lineEndsAreFoundAtEveryPlace() {
        Random random = new Random(3);
        for (int round = 0; round < 2_000; round++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = random.nextInt(6) == 0 ? (byte) '\n' : random.nextInt(4) == 0 ? (byte) ('\n' + 1) : bytes[i];
            }
            int from = random.nextInt(bytes.length + 1);
            int expected = from;
            while (expected < bytes.length && bytes[expected] != '\n') {
                expected++;
            }
            assertThat(LineEnds.next(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), from)).isEqualTo(expected);
        }
    }

    private static PrometheusText engine(String name) {
        return new PrometheusText(Engines.BUILT_IN.of(Map.of("llm-d.ai/engine-type", name)));
    }

    /** An engine that has nothing but custom values, under k0, k1 and so on. */
    private static PrometheusText custom(String... specs) {
        List<Custom> custom = new ArrayList<>();
        for (String spec : specs) {
            custom.add(new Custom("k" + custom.size(), MetricSpec.parse(spec)));
        }
        return new PrometheusText(new EngineConfig("own", null, null, null, null,
                new EngineConfig.Cache(null, "block_size", "num_gpu_blocks", null, null), custom));
    }

    private double value(Use use) {
        int slot = text.engine().indexOf(use);
        assertThat(text.values().has(slot)).as("%s", use).isTrue();
        return text.values().value(slot);
    }

    private void read(String page) {
        ByteBuf bytes = Unpooled.copiedBuffer(page, StandardCharsets.UTF_8);
        text.reset();
        text.feed(bytes);
        text.finish();
        bytes.release();
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = EngineTablesTest.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return in.readAllBytes();
        }
    }
}
