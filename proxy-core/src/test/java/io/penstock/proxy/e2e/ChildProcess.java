package io.penstock.proxy.e2e;

import io.penstock.proxy.ProxyMain;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The product as a process of its own: the main class on the test's class path, with the product's log configuration. One thread; two
 * daemon threads collect what it prints.
 */
final class ChildProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 90;
    private static final Pattern STARTED = Pattern.compile(
            "listening on \\{plain=127\\.0\\.0\\.1:(\\d+)}, admin on 127\\.0\\.0\\.1:(\\d+), metrics on 127\\.0\\.0\\.1:(\\d+)");

    private final Process process;
    private final Lines out;
    private final Lines err;
    private int port;
    private int adminPort;
    private int metricsPort;

    private ChildProcess(Process process) {
        this.process = process;
        out = new Lines(process.getInputStream());
        err = new Lines(process.getErrorStream());
    }

    /** Starts any command. */
    static ChildProcess run(String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED", "-Dlogback.configurationFile="));
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        // Surefire's own class path is a jar that names the others; this property has the real one.
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        command.addAll(List.of("-cp", classPath, ProxyMain.class.getName()));
        command.addAll(List.of(arguments));
        return started(new ProcessBuilder(command));
    }

    private static ChildProcess started(ProcessBuilder command) {
        try {
            return new ChildProcess(command.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts {@code serve} on a file with a listener {@code plain}, and waits until it listens. */
    static ChildProcess serve(Path config, String... arguments) {
        List<String> all = new ArrayList<>(List.of("serve", "--concurrency", "2", "--config-file", config.toString()));
        all.addAll(List.of(arguments));
        return listening(run(all.toArray(String[]::new)));
    }

    /** Starts a command that runs {@code serve} as above, and waits until it listens. */
    static ChildProcess serve(ProcessBuilder command) {
        return listening(started(command));
    }

    private static ChildProcess listening(ChildProcess child) {
        Matcher ports;
        try {
            ports = STARTED.matcher(child.err.await(STARTED));
        } catch (AssertionError neverStarted) {
            child.close();
            throw neverStarted;
        }
        ports.find();
        child.port = Integer.parseInt(ports.group(1));
        child.adminPort = Integer.parseInt(ports.group(2));
        child.metricsPort = Integer.parseInt(ports.group(3));
        return child;
    }

    int port() {
        return port;
    }

    int adminPort() {
        return adminPort;
    }

    int metricsPort() {
        return metricsPort;
    }

    Lines out() {
        return out;
    }

    Lines err() {
        return err;
    }

    /** SIGTERM. */
    void terminate() {
        process.toHandle().destroy();
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Waits for the end and all output. */
    int exitCode() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the process did not end; it printed " + out.all() + " and " + err.all());
            }
            out.awaitEnd();
            err.awaitEnd();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    HttpResponse<String> admin(String method, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path))
                .method(method, HttpRequest.BodyPublishers.noBody()).timeout(Duration.ofSeconds(10)).build();
        try {
            return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        exitCode();
    }

    /** What a process prints on one of its streams. */
    static final class Lines {

        private final List<String> lines = new ArrayList<>();
        private boolean ended;

        private Lines(InputStream in) {
            Thread reader = new Thread(() -> read(in), "child-output");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(InputStream in) {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    add(line);
                }
            } catch (IOException e) {
                add("unreadable: " + e);
            }
            end();
        }

        private synchronized void add(String line) {
            lines.add(line);
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
        }

        synchronized List<String> all() {
            return List.copyOf(lines);
        }

        /** Waits for a line in which the pattern is found. */
        synchronized String await(Pattern pattern) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            int seen = 0;
            while (true) {
                for (; seen < lines.size(); seen++) {
                    if (pattern.matcher(lines.get(seen)).find()) {
                        return lines.get(seen);
                    }
                }
                if (ended || !pause(deadline)) {
                    throw new AssertionError("no line with " + pattern + " in " + lines);
                }
            }
        }

        String await(String text) {
            return await(Pattern.compile(Pattern.quote(text)));
        }

        private synchronized void awaitEnd() {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (!ended && pause(deadline)) {
                // Every line wakes it.
            }
        }

        private boolean pause(long deadline) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (millis <= 0) {
                return false;
            }
            try {
                wait(millis);
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
