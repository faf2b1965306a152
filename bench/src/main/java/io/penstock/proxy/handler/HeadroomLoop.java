package io.penstock.proxy.handler;

import io.netty.handler.codec.http2.Http2Headers;
import java.util.function.Supplier;

/**
 * One part of {@link HeadroomBenchmark} so and so many times, for {@code bench/instructions.sh}, which counts what the processor is asked
 * to do: the difference of two runs of different length is the loop alone, without start, compilers and collector.
 */
public final class HeadroomLoop {

    private static final int WARM = 60_000;

    private HeadroomLoop() {
    }

    /** @param arguments {@code headroom} or {@code without}, and how often */
    public static void main(String[] arguments) {
        HeadroomBenchmark benchmark = new HeadroomBenchmark();
        benchmark.setUp();
        Supplier<Http2Headers> part = switch (arguments[0]) {
            case "headroom" -> benchmark::headroom;
            case "without" -> benchmark::withoutHeadroom;
            default -> throw new IllegalArgumentException(arguments[0] + " (expected: headroom or without)");
        };
        long fields = run(part, WARM) + run(part, Integer.parseInt(arguments[1]));
        System.out.println(fields);
    }

    private static long run(Supplier<Http2Headers> part, int times) {
        long fields = 0;
        for (int i = 0; i < times; i++) {
            fields += part.get().size();
        }
        return fields;
    }
}
