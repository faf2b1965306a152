package io.penstock.proxy.config;

import java.util.Map;

/**
 * Everything the documents say, checked. Immutable.
 *
 * @param proxy the proxy's own side
 * @param picker plugins, flow control and discovery
 * @param objectives name to priority; an objective without a priority has 0
 */
public record Settings(ProxyConfig proxy, PickerSettings picker, Map<String, Integer> objectives) {

    public Settings {
        objectives = Map.copyOf(objectives);
    }
}
