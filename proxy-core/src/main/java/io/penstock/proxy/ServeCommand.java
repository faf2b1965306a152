package io.penstock.proxy;

import io.penstock.proxy.config.FileWatcher;
import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.Problem;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.net.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code serve}: the proxy, from its start to the end of its drain. Runs on the main thread. */
@Command(name = "serve", description = "Runs the proxy.", mixinStandardHelpOptions = true, exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:drained and stopped", "1:wrong configuration, or a port is taken", "2:wrong command line"})
final class ServeCommand implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);
    private static final Duration DEBOUNCE = Duration.ofMillis(100);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    @Option(names = "--io-uring", description = "Use io_uring where the machine has it.")
    private boolean ioUring;

    private final Consumer<Proxy> started;

    ServeCommand() {
        this(proxy -> { });
    }

    /**
     * @param started told on the main thread when the proxy runs
     */
    ServeCommand(Consumer<Proxy> started) {
        this.started = started;
    }

    @Override
    public Integer call() throws Exception {
        options.check(spec);
        long begun = System.nanoTime();
        CompletableFuture<Proxy> running = new CompletableFuture<>();
        // Watched before they are read, so that no change falls in between.
        FileWatcher watcher = FileWatcher.watch(options.files(), DEBOUNCE, () -> running.thenAccept(this::reload));
        try {
            return serve(running, begun);
        } finally {
            watcher.close();
        }
    }

    private int serve(CompletableFuture<Proxy> running, long begun) throws InterruptedException {
        LoadResult loaded = options.load();
        loaded.problems().forEach(problem -> spec.commandLine().getErr().println(problem));
        Settings settings = loaded.settings();
        if (settings == null) {
            return 1;
        }
        drainOnSignal(running);
        Transport transport = Transport.detect(ioUring);
        ProxyOptions proxyOptions = ProxyOptions.defaults().withLoops(options.concurrency()).withTransport(transport)
                .withPool(options.poolLabel(), options.metricsStaleness());
        try (Proxy proxy = Proxy.start(settings, proxyOptions)) {
            StartLine.log(proxy, settings, proxyOptions, begun);
            running.complete(proxy);
            started.accept(proxy);
            // A drain may also come from the admin port.
            proxy.awaitDrained();
            return 0;
        } catch (StartException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return 1;
        }
    }

    /** A good change applies whole, a bad one not at all. */
    private synchronized void reload(Proxy proxy) {
        LoadResult loaded = options.load();
        Settings settings = loaded.settings();
        if (settings == null) {
            List<Problem> errors = loaded.errors();
            LOG.error("The changed configuration has {} error(s) and is not used:", errors.size());
            errors.forEach(problem -> LOG.error("{}", problem));
            proxy.reloadRefused();
            return;
        }
        List<String> restart = proxy.reload(settings);
        if (restart.isEmpty()) {
            LOG.info("The changed configuration is in use");
        } else {
            LOG.warn("The changed configuration is not used, since a change of {} needs a restart", String.join(", ", restart));
        }
    }

    /**
     * The first signal starts the drain, as soon as there is something to drain; a second one ends the process at once. Taken over before
     * the first port opens: whoever sees the process ready may stop it.
     */
    private static void drainOnSignal(CompletableFuture<Proxy> running) {
        AtomicInteger signals = new AtomicInteger();
        boolean handled = Signals.handle(() -> {
            if (signals.incrementAndGet() == 1) {
                running.thenAccept(Proxy::drain);
            } else {
                Proxy proxy = running.getNow(null);
                LOG.warn("Second signal: ended without waiting for {} requests", proxy == null ? 0 : proxy.openRequests());
                Runtime.getRuntime().halt(1);
            }
        });
        if (!handled) {
            LOG.warn("Signals cannot be handled on this Java: SIGTERM ends the process without a drain");
        }
    }
}
