package io.penstock.flow;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The pipeline stages whose saturation is measured apart. This enum is the one place that lists them. */
public enum Stage {
    PREFILL,
    DECODE;

    private static final Stage[] ALL = values();

    /** As written in configuration and metric labels. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The stage of that label, or null. */
    public static @Nullable Stage of(String label) {
        for (Stage stage : ALL) {
            if (stage.label().equals(label)) {
                return stage;
            }
        }
        return null;
    }

    /** Whether an endpoint with this value of the label {@code llm-d.ai/role} serves the stage (spec/flow-control section 4.2). */
    public boolean servedBy(@Nullable String role) {
        if (role == null || role.isEmpty()) {
            return this == DECODE;
        }
        return switch (role) {
            case "prefill", "encode-prefill" -> this == PREFILL;
            case "decode" -> this == DECODE;
            case "prefill-decode", "both", "encode-prefill-decode" -> true;
            default -> false;
        };
    }
}
