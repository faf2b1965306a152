package io.penstock.proxy.endpoint;

import io.penstock.flow.PoolView;
import java.util.List;

/**
 * One change of the pool's membership. An endpoint whose address changed is in {@code removed} and, as another object, in {@code added}.
 *
 * @param added members that take requests from now on
 * @param removed members that take no more; requests that run on them go on
 * @param relabelled members whose labels changed
 * @param view the pool after the change
 */
public record PoolChange(List<Endpoint> added, List<Endpoint> removed, List<Endpoint> relabelled, PoolView view) {

    public PoolChange {
        added = List.copyOf(added);
        removed = List.copyOf(removed);
        relabelled = List.copyOf(relabelled);
    }
}
