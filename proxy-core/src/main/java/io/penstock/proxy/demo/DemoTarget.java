package io.penstock.proxy.demo;

import io.penstock.flow.BandView;
import io.penstock.proxy.admin.EndpointRow;
import java.util.List;

/** Starts the proxy for the demo; the composition root implements it. Called on the main thread. */
@FunctionalInterface
public interface DemoTarget {

    /**
     * Starts a proxy with that configuration, which is read as a {@code --config-text} would be.
     *
     * @param yaml all documents: picker, objectives and the proxy's own with its listener, ports and endpoints
     * @throws IllegalStateException when a port is taken or something else cannot be started; the message is shown to the user
     */
    Running start(String yaml);

    /** A proxy that runs. The table asks it once a second, on the main thread. */
    interface Running extends AutoCloseable {

        /** The client port in use. */
        int port();

        /** The admin port in use. */
        int adminPort();

        /** The metrics port in use. */
        int metricsPort();

        /** All bands, highest priority first. */
        List<BandView> bands();

        /** All model servers. */
        List<EndpointRow> endpoints();

        /** Whether the proxy has come to its end by itself, after a drain from the admin port. */
        boolean ended();

        /** Stops the proxy. */
        @Override
        void close();
    }
}
