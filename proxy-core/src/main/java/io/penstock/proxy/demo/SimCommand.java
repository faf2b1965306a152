package io.penstock.proxy.demo;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code sim}: one simulated vLLM server until the process is told to stop. Runs on the main thread. */
@Command(name = "sim", mixinStandardHelpOptions = true, description = "Runs a simulated vLLM server.")
public final class SimCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SimFlags flags = new SimFlags();

    @Option(names = "--host", defaultValue = "0.0.0.0", description = "Address to listen on (default: ${DEFAULT-VALUE}).")
    private String host = "";

    @Option(names = "--port", defaultValue = "8000", description = "Port to listen on, 0 for any free one (default: ${DEFAULT-VALUE}).")
    private int port;

    private final CountDownLatch stop = new CountDownLatch(1);

    @Override
    public Integer call() throws InterruptedException {
        SimOptions options;
        FakeMetrics fake;
        try {
            options = flags.options();
            fake = flags.fakeMetrics();
            if (port < 0 || port > 65535) {
                throw new IllegalArgumentException("port: " + port + " (expected: 0..65535)");
            }
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), "--" + wrong.getMessage(), wrong);
        }
        try (SimServer server = SimServer.start(options, host, port)) {
            server.fakeMetrics(fake);
            PrintWriter out = spec.commandLine().getOut();
            out.println("sim: model " + options.servedName() + " on http://" + host + ':' + server.port());
            out.flush();
            StopSignal.onExit(stop);
            stop.await();
            return 0;
        } catch (IllegalStateException unbound) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("sim: " + unbound.getMessage());
            err.flush();
            return 1;
        }
    }

    /** Ends the command as a signal does; any thread. */
    void stop() {
        stop.countDown();
    }
}
