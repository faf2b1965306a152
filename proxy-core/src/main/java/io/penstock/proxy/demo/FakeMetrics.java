package io.penstock.proxy.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/**
 * Gauges that a simulated server shows instead of its own, so that a test decides what the proxy believes. Immutable.
 *
 * @param running {@code vllm:num_requests_running}, 0 or more
 * @param waiting {@code vllm:num_requests_waiting}, 0 or more
 * @param kvCacheUsage {@code vllm:kv_cache_usage_perc}, 0 to 1
 */
public record FakeMetrics(int running, int waiting, double kvCacheUsage) {

    public FakeMetrics {
        if (running < 0 || waiting < 0 || !(kvCacheUsage >= 0 && kvCacheUsage <= 1)) {
            throw new IllegalArgumentException("fake-metrics: " + running + ", " + waiting + ", " + kvCacheUsage
                    + " (expected: counts of 0 or more and a cache usage from 0 to 1)");
        }
    }

    /**
     * Reads what the flag {@code --fake-metrics} takes; a missing key is 0.
     *
     * @throws IllegalArgumentException naming what cannot be read
     */
    static FakeMetrics parse(String json) {
        int running = 0;
        int waiting = 0;
        double usage = 0;
        try (JsonParser in = new JsonFactory().createParser(json)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("fake-metrics: " + json + " (expected: a JSON object)");
            }
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                if (!in.nextToken().isNumeric()) {
                    throw new IllegalArgumentException("fake-metrics: " + name + " (expected: a number)");
                }
                switch (name) {
                    case "running-requests" -> running = in.getIntValue();
                    case "waiting-requests" -> waiting = in.getIntValue();
                    case "kv-cache-usage" -> usage = in.getDoubleValue();
                    default -> throw new IllegalArgumentException("fake-metrics: " + name
                            + " (expected: running-requests, waiting-requests or kv-cache-usage)");
                }
            }
        } catch (IOException malformed) {
            throw new IllegalArgumentException("fake-metrics: " + json + " (expected: a JSON object)", malformed);
        }
        return new FakeMetrics(running, waiting, usage);
    }
}
