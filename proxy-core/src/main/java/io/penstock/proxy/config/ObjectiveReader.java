package io.penstock.proxy.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads documents {@code InferenceObjective} (spec/routing section 1.7). Pure but for problems. */
final class ObjectiveReader {

    /** One objective that counts for this pool. */
    record Objective(String name, int priority, Location at) {
    }

    private static final String POOL_GROUP = "inference.networking.k8s.io";
    /** What a manifest taken from a cluster carries besides. */
    private static final List<String> FROM_THE_CLUSTER = List.of("creationTimestamp", "uid", "resourceVersion", "generation",
            "managedFields", "ownerReferences", "finalizers", "generateName", "selfLink", "deletionTimestamp",
            "deletionGracePeriodSeconds");

    private ObjectiveReader() {
    }

    /** The objective, or null when it is wrong or for another pool. */
    static @Nullable Objective read(Section section) {
        LoadOptions options = section.reading().options();
        section.field("status"); // the cluster's own
        String[] namespace = new String[1];
        Field metadata = section.required("metadata", "a map with the objective's name");
        String name = metadata.map(map -> {
            Field field = map.field("namespace");
            namespace[0] = field.name();
            return metadata(map);
        });
        int[] priority = new int[1];
        Boolean ours = section.field("spec").map(map -> {
            priority[0] = map.field("priority").integer(0, Integer.MIN_VALUE, Integer.MAX_VALUE);
            Boolean same = map.field("poolRef").map(pool -> isOurs(pool, options));
            return same == null || same;
        });
        if (name == null) {
            return null;
        }
        String wanted = options.poolNamespace();
        if (wanted != null && !wanted.isEmpty() && namespace[0] != null && !namespace[0].equals(wanted)) {
            metadata.notice("objective " + Text.shown(name) + " is in namespace " + Text.shown(namespace[0]) + ", ignored");
            return null;
        }
        return ours == null || ours ? new Objective(name, priority[0], section.at()) : null;
    }

    private static @Nullable String metadata(Section map) {
        map.field("labels").map(ProxyReader::labels);
        map.field("annotations").map(ProxyReader::labels);
        FROM_THE_CLUSTER.forEach(map::field);
        Field field = map.required("name", "the name that clients send");
        String name = field.name();
        if (name != null && !name.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            field.unexpected("visible ASCII characters, as in a header");
            return null;
        }
        return name;
    }

    private static boolean isOurs(Section pool, LoadOptions options) {
        pool.field("kind").choice("InferencePool", "InferencePool");
        String group = pool.field("group").text(POOL_GROUP);
        Field field = pool.required("name", "an InferencePool's name");
        String name = field.text();
        String wanted = options.poolName();
        if (wanted == null || wanted.isEmpty() || name == null || name.equals(wanted) && group.equals(POOL_GROUP)) {
            return true;
        }
        field.notice(Text.shown(name) + " of group " + Text.shown(group) + " is not " + Text.shown(wanted) + ", objective ignored");
        return false;
    }
}
