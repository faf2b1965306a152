package io.penstock.flow;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The pipeline stages whose saturation is measured apart. This enum is the one place that lists them. */
public enum Stage {
    PREFILL,
    DECODE;

    /** The label of an endpoint that names its role. */
    public static final String ROLE_LABEL = "llm-d.ai/role";
    /** Every role there is, those without a stage included; an endpoint with another one serves no stage. */
    public static final Set<String> ROLES = Set.of("prefill", "decode", "encode", "encode-prefill", "prefill-decode", "both",
            "encode-prefill-decode");

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

    /** Whether an endpoint with this {@link #ROLE_LABEL role} serves the stage (spec/flow-control section 4.2). */
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
