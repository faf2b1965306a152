package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.proxy.config.MetricsSettings.Engines;
import io.penstock.proxy.endpoint.EngineInfo;
import io.penstock.proxy.endpoint.PrometheusText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reading one metrics page: the scraper's own parser, and the obvious way with strings, whose cost is why there is one of our own. Run with
 * {@code -prof gc -p page=FILE}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xmx512m", "-XX:+UseParallelGC"})
public class PageBenchmark {

    @Param("vllm.prom")
    private String page = "";

    private final PrometheusText own = new PrometheusText(Engines.BUILT_IN.of(Map.of()));
    private ByteBuf bytes = Unpooled.EMPTY_BUFFER;

    /** Reads the page into memory. */
    @Setup
    public void setUp() throws IOException {
        bytes = Unpooled.directBuffer().writeBytes(Files.readAllBytes(Path.of(page)));
    }

    /** Gives it back. */
    @TearDown
    public void tearDown() {
        bytes.release();
    }

    /** As a scrape reads it. */
    @Benchmark
    public EngineInfo ownParser() {
        own.reset();
        own.feed(bytes);
        own.finish();
        return own.info();
    }

    /** The same three values by strings: no labels, no checks. */
    @Benchmark
    public double strings() {
        double sum = 0;
        for (String line : bytes.toString(StandardCharsets.UTF_8).split("\n")) {
            if (line.startsWith("vllm:num_requests_waiting{") || line.startsWith("vllm:num_requests_running{")
                    || line.startsWith("vllm:kv_cache_usage_perc{")) {
                sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
            }
        }
        return sum;
    }

    /** Every series into a map by its name and labels, which is what a general parser yields at least. */
    @Benchmark
    public Map<String, Double> everySeries() {
        Map<String, Double> all = new HashMap<>();
        for (String line : bytes.toString(StandardCharsets.UTF_8).split("\n")) {
            int blank = line.lastIndexOf(' ');
            if (blank > 0 && line.charAt(0) != '#') {
                all.put(line.substring(0, blank), Double.parseDouble(line.substring(blank + 1)));
            }
        }
        return all;
    }
}
