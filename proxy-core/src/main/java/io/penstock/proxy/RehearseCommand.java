package io.penstock.proxy;

import io.penstock.proxy.demo.ScriptedBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * {@code rehearse}: a short life of {@code serve} on the loopback address, with requests and a drain, so that the JVM can write down what a
 * life takes (class archive, AOT cache). For the {@code penstock} script, not for people; what it prints says why it failed. Runs on the
 * main thread.
 */
@Command(name = "rehearse", hidden = true, description = "Plays a start, some requests and a drain, for the class archive.",
        mixinStandardHelpOptions = true)
final class RehearseCommand implements Callable<Integer> {

    /** Far beyond the few seconds that it takes, since a build machine may be busy. */
    private static final long PATIENCE_SECONDS = 180;

    @Parameters(paramLabel = "FILE", description = "Where the configuration may lie for as long as it takes.")
    private Path file = Path.of("");

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        haltIfItHangs();
        try (ScriptedBackend model = ScriptedBackend.start()) {
            Files.writeString(file, configuration(model));
            CompletableFuture<Void> played = new CompletableFuture<>();
            int ended = new CommandLine(new ServeCommand(proxy -> play(proxy, played)))
                    .execute("--config-file", file.toString(), "--drain-timeout", "1s");
            if (ended == 0) {
                played.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
            return ended;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** The script waits for this process, and somebody for the script. */
    private static void haltIfItHangs() {
        Thread whoWaits = Thread.currentThread();
        Thread watchdog = new Thread(() -> {
            try {
                TimeUnit.SECONDS.timedJoin(whoWaits, PATIENCE_SECONDS);
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(1);
        }, "penstock-rehearsal-watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
    }

    private static String configuration(ScriptedBackend model) {
        return """
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                featureGates: [flowControl]
                plugins:
                - type: concurrency-detector
                  parameters: {concurrencyMode: requests, maxConcurrency: 8}
                flowControl:
                  maxRequests: 400
                  saturationDetector: {pluginRef: concurrency-detector}
                  priorityBands:
                  - {priority: 100, maxRequests: 100, defaultRequestTTL: 5s}
                  - {priority: 0, maxRequests: 200}
                ---
                apiVersion: llm-d.ai/v1alpha2
                kind: InferenceObjective
                metadata: {name: interactive}
                spec: {priority: 100}
                ---
                apiVersion: penstock.io/v1alpha1
                kind: ProxyConfig
                listeners: [{name: plain, address: "127.0.0.1:0"}]
                admin: {address: "127.0.0.1:0"}
                metrics: {address: "127.0.0.1:0"}
                endpoints: [{name: one, address: "%s"}]
                """.formatted(model.authority());
    }

    private static void play(Proxy proxy, CompletableFuture<Void> played) {
        Thread player = new Thread(() -> {
            try {
                new Rehearsal(proxy).play();
                played.complete(null);
            } catch (IOException | RuntimeException e) {
                played.completeExceptionally(e);
            } finally {
                proxy.drain();
            }
        }, "penstock-rehearsal");
        player.setDaemon(true);
        player.start();
    }
}
