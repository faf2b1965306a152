package io.penstock.flow.model;

import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.RejectReason;
import io.penstock.flow.SaturationView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one step let be seen. Compared as a whole.
 *
 * @param placed endpoints given away, in order: the order of dispatch
 * @param heard what listeners and callers were told; two expiries of one tick have no order
 * @param settled what metrics were told, and how often
 * @param fellBack flows that went to band 0
 * @param removed bands that have gone
 * @param failures what metrics were told of failures
 * @param told what else metrics were told, and how often
 * @param bands the operator's view of every band
 * @param capacity snapshot of each priority there ever is
 * @param inFlight open leases of each endpoint
 * @param saturation as last measured
 * @param owned tasks that wait for their owner
 */
record Seen(List<String> placed, Set<Heard> heard, Map<Settled, Integer> settled, List<FlowKey> fellBack,
        Set<Integer> removed, List<String> failures, Map<String, Integer> told, List<BandView> bands,
        Map<Integer, CapacitySnapshot> capacity, List<Integer> inFlight, SaturationView saturation, List<Integer> owned) {

    /** What the listener of one request was told, or the caller who cancelled it. */
    record Heard(int id, String what, @Nullable FlowKey effective, @Nullable RejectReason why, long waitedNanos) {
    }

    /** What metrics were told of one request. */
    record Settled(FlowKey requested, FlowKey effective, Outcome outcome, long bytes, long waitedNanos) {
    }

    /** Gathers what happens during one step. One thread. */
    static final class Notes {

        private List<String> placed = new ArrayList<>();
        private Set<Heard> heard = new HashSet<>();
        private Map<Settled, Integer> settled = new HashMap<>();
        private List<FlowKey> fellBack = new ArrayList<>();
        private Set<Integer> removed = new HashSet<>();
        private List<String> failures = new ArrayList<>();
        private Map<String, Integer> told = new HashMap<>();

        void placed(int id, int endpoint) {
            placed.add(id + "@" + endpoint);
        }

        void heard(Heard one) {
            if (!heard.add(one)) {
                throw new AssertionError("heard twice: " + one);
            }
        }

        void settled(Settled one) {
            settled.merge(one, 1, Integer::sum);
        }

        void fellBack(FlowKey requested) {
            fellBack.add(requested);
        }

        void removed(int priority) {
            removed.add(priority);
        }

        void told(String what) {
            told.merge(what, 1, Integer::sum);
        }

        int bandsRemoved() {
            return removed.size();
        }

        void failed(String what) {
            failures.add(what);
        }

        /** All of it, and begins anew. */
        Seen take(List<BandView> bands, Map<Integer, CapacitySnapshot> capacity, List<Integer> inFlight, SaturationView saturation,
                List<Integer> owned) {
            Seen all = new Seen(placed, heard, settled, fellBack, removed, failures, told, bands, capacity, inFlight, saturation, owned);
            placed = new ArrayList<>();
            heard = new HashSet<>();
            settled = new HashMap<>();
            fellBack = new ArrayList<>();
            removed = new HashSet<>();
            failures = new ArrayList<>();
            told = new HashMap<>();
            return all;
        }
    }

    /** Where this, the engine's, is not the model's; empty when it is. */
    String difference(Seen model) {
        if (equals(model)) {
            return "";
        }
        Map<String, Object[]> parts = new TreeMap<>();
        parts.put("placed", new Object[] {placed, model.placed});
        parts.put("heard", new Object[] {heard, model.heard});
        parts.put("settled", new Object[] {settled, model.settled});
        parts.put("fellBack", new Object[] {fellBack, model.fellBack});
        parts.put("removed", new Object[] {removed, model.removed});
        parts.put("failures", new Object[] {failures, model.failures});
        parts.put("told", new Object[] {told, model.told});
        parts.put("bands", new Object[] {bands, model.bands});
        parts.put("capacity", new Object[] {capacity, model.capacity});
        parts.put("inFlight", new Object[] {inFlight, model.inFlight});
        parts.put("saturation", new Object[] {saturation, model.saturation});
        parts.put("owned", new Object[] {owned, model.owned});
        StringBuilder text = new StringBuilder();
        parts.forEach((name, both) -> {
            if (!Objects.equals(both[0], both[1])) {
                text.append(name).append(":\n    engine ").append(both[0]).append("\n    model  ").append(both[1]).append('\n');
            }
        });
        return text.toString();
    }
}
