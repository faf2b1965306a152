package io.penstock.proxy.demo;

import io.penstock.proxy.request.HeaderNames;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The demo's clients: streamed and whole chats of three objectives and three tenants over HTTP/1.1, as a wave says, at most
 * {@value #MAX_OPEN} at a time. It has a timer thread and two for answers; any thread may read the counts and close it.
 */
final class DemoLoad implements AutoCloseable {

    private static final int MAX_OPEN = 256;
    private static final long TICK_MILLIS = 20;
    private static final String[] TENANTS = {"tenant-a", "tenant-b", "tenant-c"};

    private final URI uri;
    private final DemoWave wave;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(daemon("demo-timer"));
    private final ExecutorService workers = Executors.newFixedThreadPool(2, daemon("demo-client"));
    private final HttpClient client;
    private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();
    private final ConcurrentSkipListMap<Integer, Integer> statuses = new ConcurrentSkipListMap<>();
    private final long start = System.nanoTime();
    private double last;
    private int sent;

    DemoLoad(String authority, DemoWave wave) {
        this.uri = URI.create("http://" + authority + "/v1/chat/completions");
        this.wave = wave;
        this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(workers)
                .connectTimeout(Duration.ofSeconds(5)).build();
        timer.scheduleAtFixedRate(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Answers by status so far; 0 counts those without an answer. */
    SortedMap<Integer, Integer> statuses() {
        return new TreeMap<>(statuses);
    }

    private void tick() {
        double now = (System.nanoTime() - start) / 1e9;
        for (DemoBand band : DemoBand.values()) {
            for (int left = wave.arrivals(band, last, now); left > 0 && open.size() < MAX_OPEN; left--) {
                send(band);
            }
        }
        last = now;
    }

    private void send(DemoBand band) {
        int number = sent++;
        String body = "{\"model\":\"" + Demo.MODEL + "\",\"messages\":[{\"role\":\"user\",\"content\":\"Tell me about water.\"}],"
                + "\"ignore_eos\":true,\"max_tokens\":" + band.tokens() + ",\"stream\":" + (number % 2 == 0) + '}';
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60))
                .header("content-type", "application/json")
                .header(HeaderNames.OBJECTIVE.toString(), band.objective())
                .header(HeaderNames.FAIRNESS_ID.toString(), TENANTS[number % TENANTS.length])
                .POST(HttpRequest.BodyPublishers.ofString(body)).build();
        CompletableFuture<HttpResponse<Void>> answer = client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
        open.add(answer);
        answer.whenComplete((response, failure) -> {
            open.remove(answer);
            statuses.merge(response == null ? 0 : response.statusCode(), 1, Integer::sum);
        });
    }

    /** Sends no more and gives up on what is open. */
    @Override
    public void close() {
        timer.shutdownNow();
        open.forEach(answer -> answer.cancel(true));
        workers.shutdown();
    }

    private static ThreadFactory daemon(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
