package io.penstock.bench.scale;

import io.penstock.bench.load.Call;
import io.penstock.bench.load.LoadClient;
import io.penstock.bench.load.LoadRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Keeps so many requests under way for so long, taking requests from a list in turn, and counts. For throughput and cost, not for
 * latency: the next one is sent when one has ended. Used on the client's event loop; {@link #run} from any other thread.
 */
final class TimedLoad {

    private final LoadClient client;
    private final List<LoadRequest> requests;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private boolean stopping;
    private int next;
    private int open;
    private long answered;
    private String fault = "";

    private TimedLoad(LoadClient client, List<LoadRequest> requests) {
        this.client = client;
        this.requests = requests;
    }

    /**
     * Returns how many were answered with 200, when the last of them has ended. Blocks; not on the client's loop.
     *
     * @throws IllegalStateException if one was not
     */
    static long run(LoadClient client, List<LoadRequest> requests, int concurrency, Duration time) {
        TimedLoad load = new TimedLoad(client, requests);
        client.loop().execute(() -> {
            client.loop().schedule(() -> {
                load.stopping = true;
            }, time.toNanos(), TimeUnit.NANOSECONDS);
            for (int i = 0; i < concurrency; i++) {
                load.start();
            }
        });
        load.done.join();
        if (!load.fault.isEmpty()) {
            throw new IllegalStateException("a request failed: " + load.fault + " (expected: status 200)");
        }
        return load.answered;
    }

    private void start() {
        open++;
        LoadRequest request = requests.get(next);
        next = next + 1 == requests.size() ? 0 : next + 1;
        client.send(request, new Call() {
            @Override
            public void end(int status) {
                if (status == 200) {
                    answered++;
                } else {
                    fault = "status " + status;
                }
                ended();
            }

            @Override
            public void failed(String why) {
                fault = why;
                ended();
            }
        });
    }

    private void ended() {
        open--;
        if (!stopping && fault.isEmpty()) {
            start();
        } else if (open == 0) {
            done.complete(null);
        }
    }
}
