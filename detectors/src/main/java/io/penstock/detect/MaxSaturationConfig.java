package io.penstock.detect;

import io.penstock.flow.Stage;
import io.penstock.flow.plugin.Parameters;
import io.penstock.flow.plugin.Problems;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of {@code max-saturation-detector} (spec/flow-control section 14). What is wrong inside of them is named by its path, such as
 * {@code detectors[1]} or {@code stages.mine[0]}. Whether a name stands for a detector is for whoever knows them all. Immutable.
 *
 * @param detectors names of the children, at least one, none twice
 * @param stages the stages that a child counts for; every one where it has no entry
 */
record MaxSaturationConfig(List<String> detectors, Map<String, Set<Stage>> stages) {

    static final String DETECTORS = "detectors";
    static final String STAGES = "stages";

    static final SortedSet<String> PARAMETERS = Detectors.sorted(DETECTORS, STAGES);

    private static final Set<Stage> EVERY = Collections.unmodifiableSet(EnumSet.allOf(Stage.class));
    private static final String NAMES = "a list of detectors' names";
    private static final String STAGE_LIST = "a list of " + labels(", ");

    MaxSaturationConfig {
        detectors = List.copyOf(detectors);
        stages = Map.copyOf(stages);
    }

    Set<Stage> stagesOf(String child) {
        return stages.getOrDefault(child, EVERY);
    }

    /** @param self the detector's own name, which must not be among its children */
    static MaxSaturationConfig from(String self, Map<String, ?> values) {
        return new Parameters(values, PARAMETERS).build(() -> read(self, values));
    }

    private static MaxSaturationConfig read(String self, Map<String, ?> values) {
        Problems problems = new Problems();
        List<String> detectors = detectors(values.get(DETECTORS), self, problems);
        Map<String, Set<Stage>> stages = stages(values.get(STAGES), detectors, problems);
        problems.throwIfAny();
        return new MaxSaturationConfig(detectors, stages);
    }

    private static List<String> detectors(@Nullable Object value, String self, Problems problems) {
        List<String> names = new ArrayList<>();
        if (!(value instanceof List<?> list)) {
            problems.add(DETECTORS, value == null ? "missing" : shown(value), NAMES);
            return names;
        }
        if (list.isEmpty()) {
            problems.add(DETECTORS, "[]", "at least one name");
        }
        for (int i = 0; i < list.size(); i++) {
            String path = DETECTORS + '[' + i + ']';
            if (!(list.get(i) instanceof String name) || name.isBlank()) {
                problems.add(path, shown(list.get(i)), "a detector's name");
            } else if (name.equals(self)) {
                problems.add(path, name, "another detector, not itself");
            } else if (names.contains(name)) {
                problems.add(path, name, "each name once");
            } else {
                names.add(name);
            }
        }
        return names;
    }

    private static Map<String, Set<Stage>> stages(@Nullable Object value, List<String> detectors, Problems problems) {
        Map<String, Set<Stage>> stages = new LinkedHashMap<>();
        if (value == null) {
            return stages;
        }
        if (!(value instanceof Map<?, ?> map)) {
            problems.add(STAGES, shown(value), "a map of names in detectors to lists of stages");
            return stages;
        }
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            String child = String.valueOf(entry.getKey());
            String path = STAGES + '.' + child;
            if (!detectors.contains(child)) {
                problems.add(path, "not in detectors", detectors.isEmpty() ? "a name in detectors" : String.join(", ", detectors));
            }
            stages.put(child, stages(entry.getValue(), path, problems));
        }
        return stages;
    }

    private static Set<Stage> stages(@Nullable Object value, String path, Problems problems) {
        Set<Stage> stages = EnumSet.noneOf(Stage.class);
        if (!(value instanceof List<?> list) || list.isEmpty()) {
            problems.add(path, shown(value), STAGE_LIST);
            return stages;
        }
        for (int i = 0; i < list.size(); i++) {
            Stage stage = list.get(i) instanceof String label ? Stage.of(label) : null;
            String place = path + '[' + i + ']';
            if (stage == null) {
                problems.add(place, shown(list.get(i)), labels(" or "));
            } else if (!stages.add(stage)) {
                problems.add(place, stage.label(), "each stage once");
            }
        }
        return stages;
    }

    private static String labels(String between) {
        return Arrays.stream(Stage.values()).map(Stage::label).collect(Collectors.joining(between));
    }

    private static String shown(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.isEmpty() ? "[]" : "a list";
        }
        if (value instanceof Map) {
            return "a map";
        }
        return value instanceof String ? "\"" + value + '"' : String.valueOf(value);
    }
}
