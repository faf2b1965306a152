package io.penstock.proxy;

import io.penstock.proxy.config.PickerSettings;
import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.config.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compares two configurations: what of a change cannot be taken over while running. Pure. */
final class Reload {

    private Reload() {
    }

    static List<String> needsRestart(Settings before, Settings after) {
        List<String> changed = new ArrayList<>();
        ProxyConfig one = before.proxy();
        ProxyConfig two = after.proxy();
        differ(changed, "listeners", one.listeners(), two.listeners());
        differ(changed, "admin", one.admin(), two.admin());
        differ(changed, "metrics", one.metrics(), two.metrics());
        differ(changed, "upstream", one.upstream(), two.upstream());
        differ(changed, "timeouts", one.timeouts(), two.timeouts());
        differ(changed, "limits", one.limits(), two.limits());
        differ(changed, "drain", one.drain(), two.drain());
        differ(changed, "accessLog", one.accessLog(), two.accessLog());
        differ(changed, "compat", one.compat(), two.compat());
        picker(changed, before.picker(), after.picker());
        return changed;
    }

    /** Flow control's own part is taken over whole; the gate decides what the process is made of, and the rest is read at the start. */
    private static void picker(List<String> changed, PickerSettings one, PickerSettings two) {
        differ(changed, "featureGates", one.flowControlEnabled(), two.flowControlEnabled());
        differ(changed, "dataLayer.discovery", one.discovery(), two.discovery());
        differ(changed, "how metrics are read", one.metrics(), two.metrics());
        differ(changed, "what counts tokens", one.load().countsTokens(), two.load().countsTokens());
        differ(changed, "plugins", one.fixedPlugins(), two.fixedPlugins());
    }

    private static void differ(List<String> changed, String name, @Nullable Object before, @Nullable Object after) {
        if (!Objects.equals(before, after)) {
            changed.add(name);
        }
    }
}
