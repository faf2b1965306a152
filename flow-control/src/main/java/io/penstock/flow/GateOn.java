package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/** Which stage's saturation gates dispatch (seed 2). */
public enum GateOn {
    MAX(null),
    PREFILL(Stage.PREFILL),
    DECODE(Stage.DECODE);

    private final @Nullable Stage stage;

    GateOn(@Nullable Stage stage) {
        this.stage = stage;
    }

    /** The one stage that gates, or null when the highest does. */
    public @Nullable Stage stage() {
        return stage;
    }
}
