package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that changes under a process that serves. */
class ReloadProcessTest {

    private static final String LIMITS = "  maxRequests: 10000\n";

    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("penstock.yaml");
    }

    /** In one step, as whoever replaces a mounted file does it, so that every write is one change. */
    private void write(String yaml) throws IOException {
        Files.move(Files.writeString(directory.resolve("next.yaml"), yaml), file(), StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    private static String band(ChildProcess serve) {
        return serve.admin("GET", "/bands").body();
    }

    private static double reloads(ChildProcess serve, String result) {
        return serve.admin("GET", "/metrics").body().lines()
                .filter(line -> line.startsWith("penstock_config_reloads_total{result=\"" + result + "\"}"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum();
    }

    @Test
    void badFilesUnderLoadChangeNothingAndTheNextGoodOneIsUsed() throws Exception {
        try (ScriptedBackend backend = ScriptedBackend.start()) {
            String yaml = RunningProxy.yaml(List.of(backend), "", RunningProxy.PICKER.formatted(2) + LIMITS);
            write(yaml);
            try (ChildProcess serve = ChildProcess.serve(file())) {
                limitsThatReallyHoldAreSaidAtTheStart(serve);
                AtomicBoolean stop = new AtomicBoolean();
                List<String> wrong = new CopyOnWriteArrayList<>();
                List<Thread> load = load(serve, stop, wrong);

                write(yaml.substring(0, yaml.indexOf("maxConcurrency")));
                Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> reloads(serve, "refused") == 1);
                write(yaml + "  priorityBands: [{priority: 0, maxRequests: 7}, {priority: 5, maxRequests: -1}]\n");
                Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> reloads(serve, "refused") == 2);
                serve.err().await(Pattern.compile("ERROR .*penstock\\.yaml:\\d+:\\d+: .*maxRequests"));
                assertThat(band(serve)).as("nothing of it").contains("\"maxRequests\":5000").doesNotContain("\"priority\":5,");
                assertThat(reloads(serve, "applied")).isZero();
                write(yaml + "  priorityBands: [{priority: 0, maxRequests: 77}, {priority: 5, maxRequests: 8}]\n");
                Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> reloads(serve, "applied") == 1);
                Awaitility.await().until(() -> band(serve).contains("\"maxRequests\":77") && band(serve).contains("\"priority\":5,"));

                stop.set(true);
                for (Thread thread : load) {
                    thread.join();
                }
                assertThat(wrong).as("requests that failed").isEmpty();
                serve.terminate();
                assertThat(serve.exitCode()).isZero();
            }
        }
    }

    /** A band's default below the global limit is the limit that counts, though nobody wrote it. */
    private static void limitsThatReallyHoldAreSaidAtTheStart(ChildProcess serve) {
        serve.err().await(Pattern.compile("warning: flowControl\\.maxRequests: more than the default of 5000 that limits priority band 0"));
        serve.err().await("All bands: maxRequests 10000, maxBytes unbounded, defaultRequestTTL 1m");
        serve.err().await("Band 0: maxRequests 5000, maxBytes 1000000000");
        assertThat(band(serve)).contains("\"priority\":0,\"maxRequests\":5000,");
    }

    private static List<Thread> load(ChildProcess serve, AtomicBoolean stop, List<String> wrong) throws IOException {
        List<Thread> load = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Http2RawClient client = Http2RawClient.connect(serve.port());
            Thread thread = new Thread(() -> {
                try (client) {
                    while (!stop.get()) {
                        Http2Response response = client.response(Calls.post(client));
                        if (response.status() != 200 || response.header(Calls.HEADROOM).isEmpty()) {
                            wrong.add(response.status() + " " + response.text());
                        }
                    }
                }
            });
            thread.start();
            load.add(thread);
        }
        return load;
    }
}
