package io.penstock.proxy.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The plugin {@code agent-identity}: which headers name an agent's session, so that its requests are one flow although it sends no fairness
 * id (spec/flow-control sections 1.5 and 2). Stateless, any thread.
 */
public final class AgentIdentity {

    static final String TYPE = "agent-identity";
    static final String EXTRA = "additionalSessionHeaders";
    /** llm-d's, in its order; its {@code session_id} is refused with every other name that has an underscore. */
    private static final List<String> BUILT_IN = List.of("x-claude-code-session-id", "x-session-affinity", "session-id");
    /** RFC 9110 section 5.6.2, in lower case. */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]+");

    private AgentIdentity() {
    }

    /** The names to look at in order, in lower case: what the plugins add, then those that are built in. Empty without such a plugin. */
    public static List<String> headers(Collection<PluginSpec> plugins) {
        Set<String> names = new LinkedHashSet<>();
        boolean declared = false;
        for (PluginSpec plugin : plugins) {
            if (plugin.type().equals(TYPE)) {
                declared = true;
                if (plugin.parameters().get(EXTRA) instanceof List<?> extra) {
                    extra.forEach(name -> names.add(name.toString().toLowerCase(Locale.ROOT)));
                }
            }
        }
        if (!declared) {
            return List.of();
        }
        names.addAll(BUILT_IN);
        return new ArrayList<>(names);
    }

    static Section check(Section section) {
        for (Field item : section.field(EXTRA).items()) {
            String name = item.text();
            if (name == null) {
                continue;
            }
            String lower = name.toLowerCase(Locale.ROOT);
            if (!TOKEN.matcher(lower).matches()) {
                item.unexpected("a header name");
            } else if (lower.indexOf('_') >= 0) {
                item.warning(name + " never comes in, since a request with such a header is refused (expected: no underscore)");
            }
        }
        return section;
    }
}
