package io.penstock.proxy;

import com.sun.management.ThreadMXBean;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * What a request costs between the two codecs, with flow control and without, in interleaved rounds: the thread's own CPU time, which other
 * work on the machine disturbs little, and its allocation, which nothing disturbs. What the benchmark itself makes is taken off. Prints
 * medians with their quartiles.
 */
final class HandlerCost {

    private static final int WARM = 300_000;
    private static final int ROUNDS = 15;
    private static final int REQUESTS = 20_000;

    private static final ThreadMXBean THREAD = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private HandlerCost() {
    }

    /** Nanoseconds and bytes of one request, of every round. */
    private static final class Series {
        private final double[] nanos = new double[ROUNDS];
        private final double[] bytes = new double[ROUNDS];

        void measure(int round, Runnable request) {
            long cpu = THREAD.getCurrentThreadCpuTime();
            long allocated = THREAD.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < REQUESTS; i++) {
                request.run();
            }
            bytes[round] = (THREAD.getCurrentThreadAllocatedBytes() - allocated) / (double) REQUESTS;
            nanos[round] = (THREAD.getCurrentThreadCpuTime() - cpu) / (double) REQUESTS;
        }

        static double at(double[] values, double share) {
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            return sorted[(int) (share * (sorted.length - 1))];
        }
    }

    /** @param arguments endpoints in the pool, one run each; 2 and 100 by default */
    public static void main(String[] arguments) throws InterruptedException {
        String[] sizes = arguments.length == 0 ? new String[] {"2", "100"} : arguments;
        System.out.printf("%9s  %-6s %8s %17s %8s%n", "endpoints", "flow", "ns CPU", "quartiles", "B");
        for (String size : sizes) {
            onLoop(Integer.parseInt(size));
        }
    }

    /** On the kind of thread that event loops are: only those have metrics of their own. */
    private static void onLoop(int endpoints) throws InterruptedException {
        FutureTask<@Nullable Void> run = new FutureTask<>(() -> {
            run(endpoints);
            return null;
        });
        Thread loop = new FastThreadLocalThread(run);
        loop.start();
        loop.join();
        try {
            run.get();
        } catch (ExecutionException broken) {
            throw new IllegalStateException(broken.getCause());
        }
    }

    private static void run(int endpoints) throws IOException {
        try (HandlerRig on = new HandlerRig(true, endpoints); HandlerRig off = new HandlerRig(false, endpoints)) {
            for (int i = 0; i < WARM; i++) {
                on.request();
                off.request();
                on.inputs();
            }
            Series[] series = {new Series(), new Series(), new Series()};
            for (int round = 0; round < ROUNDS; round++) {
                series[0].measure(round, on::inputs);
                series[1].measure(round, on::request);
                series[2].measure(round, off::request);
            }
            double own = Series.at(series[0].nanos, 0.5);
            double ownBytes = Series.at(series[0].bytes, 0.5);
            for (int i = 1; i <= 2; i++) {
                System.out.printf("%9d  %-6s %8.0f %8.0f %8.0f %8.0f%n", endpoints, i == 1 ? "on" : "off",
                        Series.at(series[i].nanos, 0.5) - own, Series.at(series[i].nanos, 0.25) - own,
                        Series.at(series[i].nanos, 0.75) - own, Series.at(series[i].bytes, 0.5) - ownBytes);
            }
        }
    }
}
