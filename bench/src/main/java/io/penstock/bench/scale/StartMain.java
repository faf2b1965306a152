package io.penstock.bench.scale;

import io.penstock.bench.load.Account;
import io.penstock.bench.load.Children;
import io.penstock.bench.load.Children.Child;
import io.penstock.bench.load.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the time from exec of the script to {@code /ready}, with a class archive and without, on each JDK in turn. Started by
 * bench/start.sh. Runs on the main thread.
 */
public final class StartMain {

    private static final long PATIENCE_SECONDS = 120;
    /** How often it asks; until the port is open that costs the started process nothing. */
    private static final long POLL_MICROS = 2_000;

    /** A row whose process has the first core alone, compilers and all: what the contract's figure is taken with. */
    private static final String ONE_CORE = ", one core";

    private StartMain() {
    }

    /** {@code ROOT RUNS JAVA_HOME...} */
    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toAbsolutePath();
        Path scratch = Files.createDirectories(root.resolve("bench/target/start"));
        List<Point> points = new ArrayList<>();
        List<Map<String, String>> environments = new ArrayList<>();
        for (String home : List.of(arguments).subList(2, arguments.length)) {
            String java = Path.of(home).getFileName().toString();
            points.add(new Point(java + ", archive"));
            environments.add(Map.of("JAVA_HOME", home));
            points.add(new Point(java + ", archive" + ONE_CORE));
            environments.add(Map.of("JAVA_HOME", home));
            points.add(new Point(java + ", none"));
            environments.add(Map.of("JAVA_HOME", home, "PENSTOCK_ARCHIVE", "off"));
        }
        for (int run = 0; run < Integer.parseInt(arguments[1]); run++) {
            for (int i = 0; i < points.size(); i++) {
                start(root, scratch, environments.get(i), points.get(i));
            }
        }
        System.out.println("| start to `/ready`, " + LocalDate.now() + " | ms (range) | CPU ms | resident, MiB |\n|---|---|---|---|");
        for (Point point : points) {
            System.out.printf(Locale.ROOT, "| %s | %.0f (%.0f-%.0f) | %.0f | %.0f |%n", point.at(), point.median(Figure.START),
                    point.least(Figure.START), point.most(Figure.START), point.median(Figure.CPU), point.median(Figure.RESIDENT));
        }
    }

    private static void start(Path root, Path scratch, Map<String, String> environment, Point point) throws IOException {
        List<Integer> ports = Ports.free(3);
        Path config = Files.writeString(scratch.resolve("penstock.yaml"), Layout.PLAIN.yaml(ports, List.of(ports.get(2))));
        try (Children children = new Children()) {
            long begun = System.nanoTime();
            Child child = children.start(List.of(root.resolve("penstock").toString(), "serve", "--config-file", config.toString()),
                    point.at().endsWith(ONE_CORE) ? 0 : -1, environment, scratch.resolve("penstock.log"));
            while (!ready(ports.get(1))) {
                if (!child.process().isAlive() || System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                    throw new IllegalStateException("penstock: not ready (expected: within " + PATIENCE_SECONDS + " s): " + child.tail(10));
                }
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(POLL_MICROS));
            }
            point.add(Figure.START, (System.nanoTime() - begun) / 1e6);
            Account account = Account.of(List.of(child.pid()));
            point.add(Figure.CPU, account.cpuMicros() / 1e3).add(Figure.RESIDENT, account.residentKiB() / 1024.0);
        }
    }

    private static boolean ready(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("GET /ready HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).equals("HTTP/1.1 200");
        } catch (IOException notYet) {
            return false;
        }
    }
}
