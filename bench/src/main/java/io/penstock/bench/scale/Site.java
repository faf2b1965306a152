package io.penstock.bench.scale;

import io.penstock.bench.load.Account;
import io.penstock.bench.load.BackendStub;
import io.penstock.bench.load.Children;
import io.penstock.bench.load.Children.Child;
import io.penstock.bench.load.LoadClient;
import io.penstock.bench.load.Ports;
import io.penstock.bench.load.Protocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One proxy as a process of its own, started by its script, before backends in this process. One thread. */
final class Site implements AutoCloseable {

    private static final long START_SECONDS = 120;

    private final Children children = new Children();
    private final BackendStub backends;
    private final Child child;
    private final int port;
    private final int adminPort;

    private Site(Layout layout, Machine machine) {
        backends = BackendStub.start(layout.endpoints());
        List<Integer> ports = Ports.free(3);
        port = ports.get(0);
        adminPort = ports.get(1);
        try {
            Files.createDirectories(machine.scratch());
            Path config = Files.writeString(machine.scratch().resolve("penstock.yaml"), layout.yaml(ports, backends.ports()));
            List<String> command = new ArrayList<>(machine.pin(layout.loops()));
            command.addAll(List.of(machine.penstock().toString(), "serve", "--config-file", config.toString(), "--concurrency",
                    Integer.toString(layout.loops())));
            child = children.start(command, -1, Map.of(), machine.scratch().resolve("penstock.log"));
            awaitReady();
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    static Site start(Layout layout, Machine machine) {
        return new Site(layout, machine);
    }

    private void awaitReady() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!ready()) {
            if (!child.process().isAlive() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("penstock: not ready (expected: within " + START_SECONDS + " s): " + child.tail(10));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean ready() {
        try {
            return get("/ready").startsWith("LIVE");
        } catch (IOException e) {
            return false;
        }
    }

    private String get(String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + adminPort + path).toURL().openConnection();
        connection.setReadTimeout(10_000);
        try (var in = connection.getInputStream()) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    /** Requests that have come to the backends so far. */
    long requests() {
        return backends.requests();
    }

    /** Waiting requests over all bands; -1 where the busy proxy did not say in time. */
    long waiting() {
        try {
            long sum = 0;
            for (String part : get("/bands").split("\"requests\":")) {
                int end = part.indexOf(',');
                sum += end > 0 && part.substring(0, end).chars().allMatch(Character::isDigit) ? Long.parseLong(part.substring(0, end)) : 0;
            }
            return sum;
        } catch (SocketTimeoutException e) {
            return -1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connections over cleartext HTTP/2. */
    LoadClient connect(int connections) {
        return LoadClient.open(Protocol.H2C, port, connections);
    }

    Account account() {
        return Account.of(List.of(child.pid()));
    }

    /** Bytes of the heap that are still in use after a full collection. */
    long liveHeap(Machine machine) {
        return LiveHeap.of(machine.jcmd(), child.pid());
    }

    @Override
    public void close() {
        children.close();
        backends.close();
    }
}
