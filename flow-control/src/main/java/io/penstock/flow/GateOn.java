package io.penstock.flow;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which stage's saturation gates dispatch (seed 2). Immutable.
 *
 * @param stage the one stage that gates, or null when the highest does
 */
public record GateOn(@Nullable Stage stage) {

    /** The highest stage gates. */
    public static final GateOn MAX = new GateOn(null);

    /** Everything that there is: {@link #MAX}, then each stage. */
    public static List<GateOn> all() {
        List<GateOn> all = new ArrayList<>();
        all.add(MAX);
        for (Stage stage : Stage.values()) {
            all.add(new GateOn(stage));
        }
        return all;
    }

    /** As written in configuration. */
    public String label() {
        return stage == null ? "max" : stage.label();
    }
}
