package io.penstock.proxy.config;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads {@code featureGates} (spec/flow-control section 1.2). Pure but for problems. */
final class FeatureGates {

    private static final String FLOW_CONTROL = "flowControl";
    private static final String HA = "haPopulateNonLeaderDatastore";

    private FeatureGates() {
    }

    /** Whether flow control is on; the last entry for a gate counts. */
    static boolean flowControl(Field list) {
        boolean on = false;
        for (Field item : list.items()) {
            String text = item.text();
            if (text == null) {
                continue;
            }
            String[] parts = text.split("=", -1);
            Boolean value = parts.length == 1 ? Boolean.TRUE : bool(parts[1]);
            if (!parts[0].equals(FLOW_CONTROL) && !parts[0].equals(HA)) {
                item.error(Text.shown(parts[0]) + ": unknown feature gate " + Text.hint(parts[0], List.of(FLOW_CONTROL, HA)));
            } else if (value == null) {
                item.unexpected("a gate alone, or with =true or =false");
            } else if (parts[0].equals(FLOW_CONTROL)) {
                on = value;
            } else {
                item.notice(HA + ": without effect here, since there is no leader");
            }
        }
        return on;
    }

    private static @Nullable Boolean bool(String text) {
        return switch (text.trim().toLowerCase(Locale.ROOT)) {
            case "1", "t", "true" -> Boolean.TRUE;
            case "0", "f", "false" -> Boolean.FALSE;
            default -> null;
        };
    }
}
