package io.penstock.bench.headroom;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The product as its users start it: {@code ./penstock serve}, a process of its own. One thread starts and stops it; a daemon thread reads
 * what it prints.
 */
final class ProxyProcess implements Closeable {

    private static final long PATIENCE_SECONDS = 60;
    private static final int KEPT_LINES = 40;
    private static final Pattern STARTED = Pattern.compile("listening on \\{plain=127\\.0\\.0\\.1:(\\d+)}");

    private final Process process;
    private final Path config;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private final Deque<String> lines = new ArrayDeque<>();

    private ProxyProcess(Process process, Path config) {
        this.process = process;
        this.config = config;
        Thread reader = new Thread(this::read, "proxy-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts one and waits until it listens. {@code root} is the checkout; its jar is built when that is missing or old. */
    static ProxyProcess start(Path root, String yaml) throws IOException {
        Path config = Files.writeString(Files.createTempFile("penstock-headroom", ".yaml"), yaml);
        Process process = new ProcessBuilder(root.resolve("penstock").toString(), "serve", "--concurrency", "2", "--config-file",
                config.toString()).redirectErrorStream(true).start();
        ProxyProcess started = new ProxyProcess(process, config);
        try {
            started.port.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return started;
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            started.close();
            throw new IOException("penstock serve: " + started.tail() + " (expected: a line that says where it listens)", e);
        }
    }

    private void read() {
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                keep(line);
                Matcher matcher = STARTED.matcher(line);
                if (matcher.find()) {
                    port.complete(Integer.parseInt(matcher.group(1)));
                }
            }
            port.completeExceptionally(new IOException("it ended"));
        } catch (IOException e) {
            port.completeExceptionally(e);
        }
    }

    private synchronized void keep(String line) {
        lines.add(line);
        if (lines.size() > KEPT_LINES) {
            lines.remove();
        }
    }

    private synchronized String tail() {
        return String.join(System.lineSeparator(), lines);
    }

    SocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port.join());
    }

    /** CPU time that it has used, in seconds; 0 where the system does not say. */
    double cpuSeconds() {
        return process.info().totalCpuDuration().map(used -> used.toNanos() / 1e9).orElse(0.0);
    }

    /** SIGTERM: drains and ends by itself. */
    void terminate() {
        process.destroy();
    }

    /** Waits for its end after {@link #terminate}. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("penstock serve: still running (expected: ended after SIGTERM)\n" + tail());
        }
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(config);
    }
}
