package io.penstock.proxy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.penstock.flow.BandView;
import io.penstock.proxy.admin.EndpointRow;
import io.penstock.proxy.config.ConfigLoader;
import io.penstock.proxy.config.LoadOptions;
import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.config.Source;
import io.penstock.proxy.demo.Demo;
import io.penstock.proxy.demo.DemoOptions;
import io.penstock.proxy.demo.DemoTarget;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code demo}: gives the demo a real proxy. Runs on the main thread. */
@Command(name = "demo", description = "Runs simulated model servers and the proxy before them, with a light load and a live table.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer>, DemoTarget {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private DemoOptions options = new DemoOptions();

    @Override
    public Integer call() {
        try {
            options.check();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        keepTheTableWhole();
        return Demo.run(options, this);
    }

    /** What the proxy says of itself would stand in the middle of the table; who asked for it gets it. */
    private static void keepTheTableWhole() {
        if (System.getProperty("penstock.logLevel") == null && LoggerFactory.getLogger("io.penstock") instanceof Logger logger) {
            logger.setLevel(Level.WARN);
        }
    }

    @Override
    public Running start(String yaml) {
        LoadResult loaded = ConfigLoader.load(List.of(Source.text(yaml)), LoadOptions.none());
        Settings settings = loaded.settings();
        if (settings == null) {
            throw new IllegalStateException("the demo's own configuration has errors: " + loaded.errors());
        }
        try {
            return new RunningProxy(Proxy.start(settings, ProxyOptions.defaults()));
        } catch (StartException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private record RunningProxy(Proxy proxy) implements Running {

        @Override
        public int port() {
            return proxy.addresses().values().iterator().next().getPort();
        }

        @Override
        public int adminPort() {
            return portOf(proxy.adminAddress());
        }

        @Override
        public int metricsPort() {
            return portOf(proxy.metricsAddress());
        }

        private static int portOf(InetSocketAddress address) {
            return address.getPort();
        }

        @Override
        public List<BandView> bands() {
            return proxy.bands();
        }

        @Override
        public List<EndpointRow> endpoints() {
            return proxy.endpoints();
        }

        @Override
        public boolean ended() {
            return proxy.drained();
        }

        @Override
        public void close() {
            proxy.close();
        }
    }
}
