package io.penstock.proxy;

import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.config.LoadOptions;
import io.penstock.proxy.net.Transport;
import java.time.Duration;

/**
 * What the process decides and no document says. Immutable.
 *
 * @param loops event loops, 1 or more
 * @param transport the kernel interface
 * @param pool the pool's name, as metrics label it; may be empty
 * @param metricsStaleness age beyond which a scrape is left out of the pool's metrics
 * @param hooks steps of flow control that a test may hold
 */
public record ProxyOptions(int loops, Transport transport, String pool, Duration metricsStaleness, FlowHooks hooks) {

    /** As many loops as processors, the machine's best transport. */
    public static ProxyOptions defaults() {
        return new ProxyOptions(Runtime.getRuntime().availableProcessors(), Transport.detect(false), "", LoadOptions.DEFAULT_STALENESS,
                FlowHooks.NONE);
    }

    public ProxyOptions withLoops(int count) {
        return new ProxyOptions(count, transport, pool, metricsStaleness, hooks);
    }

    public ProxyOptions withTransport(Transport other) {
        return new ProxyOptions(loops, other, pool, metricsStaleness, hooks);
    }

    public ProxyOptions withPool(String name, Duration staleness) {
        return new ProxyOptions(loops, transport, name, staleness, hooks);
    }

    public ProxyOptions withHooks(FlowHooks other) {
        return new ProxyOptions(loops, transport, pool, metricsStaleness, other);
    }
}
