package io.penstock.proxy.config;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.config.BandConfig;
import io.penstock.proxy.config.PluginType.Role;

/** Reads one priority band or band template (spec/flow-control sections 1.4 and 14). Pure but for problems. */
final class BandReader {

    /**
     * A band as read.
     *
     * @param label how messages name it
     * @param at where it stands
     * @param defaultRequests whether its maxRequests is the default
     * @param defaultBytes whether its maxBytes is the default
     */
    record Band(BandConfig config, String label, Location at, boolean defaultRequests, boolean defaultBytes) {
    }

    private final Plugins plugins;
    private final boolean enabled;

    BandReader(Plugins plugins, boolean enabled) {
        this.plugins = plugins;
        this.enabled = enabled;
    }

    /** What a band that nothing is said about has: llm-d's system defaults, never those of a template. */
    static Band system(String label, Location at) {
        return new Band(BandConfig.defaults(0), label, at, true, true);
    }

    Band read(Section section, String template) {
        int priority = section.field("priority").integer(0, Integer.MIN_VALUE, Integer.MAX_VALUE);
        Field requests = section.field("maxRequests");
        Field bytes = section.field("maxBytes");
        long maxRequests = limit(requests, 0, BandConfig.MAX_REQUESTS);
        long maxBytes = limit(bytes, 0, BandConfig.MAX_BYTES);
        Field budget = section.field("defaultRequestTTL");
        Long ttl = budget.nanos(0, Long.MAX_VALUE);
        BandConfig config = new BandConfig(priority, maxRequests == 0 ? BandConfig.DEFAULT_MAX_REQUESTS : maxRequests,
                maxBytes == 0 ? BandConfig.DEFAULT_MAX_BYTES : maxBytes, ttl == null ? BandConfig.INHERIT : ttl,
                policy(section.field("fairnessPolicyRef"), BandConfig.GLOBAL_STRICT, Role.FAIRNESS),
                policy(section.field("orderingPolicyRef"), BandConfig.FCFS, Role.ORDERING));
        String label = template.isEmpty() ? "priority band " + priority : template;
        return new Band(config, label, section.at(), maxRequests == 0, maxBytes == 0);
    }

    private String policy(Field reference, String fallback, Role role) {
        String text = reference.text("");
        String name = text.isEmpty() ? fallback : text;
        return plugins.resolve(reference, name, role, enabled) == null ? fallback : name;
    }

    /** A limit: the given one, {@code unbounded}, or {@code absent} for none or zero; clamped to what can be counted. */
    static long limit(Field field, long absent, long most) {
        if (!field.present()) {
            return absent;
        }
        if (field.is("unbounded")) {
            return CapacitySnapshot.UNBOUNDED;
        }
        Long number = field.quantity();
        if (number == null || number == 0) {
            return absent;
        }
        if (number < 0) {
            field.unexpected("0 or more, or unbounded");
            return absent;
        }
        if (number > most) {
            field.notice(number + " is more than can be counted, read as " + most);
            return most;
        }
        return number;
    }
}
