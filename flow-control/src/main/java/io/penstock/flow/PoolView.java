package io.penstock.flow;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The pool's membership at one moment, already split by stage: made anew on each membership change, so that nothing is partitioned on the
 * way of a request. Immutable.
 */
public final class PoolView {

    /** No endpoints at all. */
    public static final PoolView EMPTY = new PoolView(List.of(), Map.of());

    private final List<EndpointView> endpoints;
    private final Map<Stage, List<EndpointView>> stages = new EnumMap<>(Stage.class);
    private final boolean split;

    /**
     * @param endpoints all members, whatever their role
     * @param roles value of the label {@code llm-d.ai/role} by endpoint name; a missing entry is an endpoint without the label
     */
    public PoolView(List<? extends EndpointView> endpoints, Map<String, String> roles) {
        this.endpoints = List.copyOf(endpoints);
        for (Stage stage : Stage.values()) {
            List<EndpointView> members = new ArrayList<>();
            for (EndpointView endpoint : this.endpoints) {
                if (stage.servedBy(roles.get(endpoint.name()))) {
                    members.add(endpoint);
                }
            }
            stages.put(stage, Collections.unmodifiableList(members));
        }
        this.split = this.endpoints.stream().anyMatch(endpoint -> !roles.getOrDefault(endpoint.name(), "").isEmpty());
    }

    public List<EndpointView> endpoints() {
        return endpoints;
    }

    /** The members that serve a stage; an interleaved endpoint is in both. */
    public List<EndpointView> stage(Stage stage) {
        List<EndpointView> members = stages.get(stage);
        return members == null ? List.of() : members;
    }

    /** Whether any member has a role. Without one there are no stages to tell apart: every endpoint does all of the work. */
    public boolean split() {
        return split;
    }

    public boolean isEmpty() {
        return endpoints.isEmpty();
    }
}
