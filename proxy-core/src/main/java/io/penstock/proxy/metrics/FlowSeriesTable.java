package io.penstock.proxy.metrics;

import io.penstock.flow.FlowKey;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * All flows' series by their labels. Any thread. A flow whose labels are its own key is found without an allocation; only a folded, cut or
 * repaired id pays for a second look-up. Flows that rest for {@value #REST_PERIODS} sweeps lose their series.
 */
final class FlowSeriesTable {

    static final int REST_PERIODS = 5;

    private final ConcurrentMap<FlowKey, FlowSeries> table = new ConcurrentHashMap<>();
    private final LabelGuard guard;
    private volatile int period;

    FlowSeriesTable(LabelGuard guard) {
        this.guard = guard;
    }

    /** Begins a submission and returns the series that is to hear of its end. */
    FlowSeries submit(FlowKey key, long bytes) {
        while (true) {
            FlowSeries series = find(key);
            if (series.submit(bytes)) {
                series.touchedIn = period;
                return series;
            }
        }
    }

    /** The series of a key; a new one when the last has been given up. */
    FlowSeries find(FlowKey key) {
        FlowSeries series = table.get(key);
        if (series != null && !series.retired()) {
            return series;
        }
        String label = guard.label(key.fairnessId());
        FlowKey labels = label.equals(key.fairnessId()) ? key : new FlowKey(label, key.priority());
        FlowSeries folded = table.get(labels);
        if (folded != null && !folded.retired()) {
            return folded;
        }
        return table.compute(labels, (k, old) -> old == null || old.retired() ? new FlowSeries(label, k.priority(), period) : old);
    }

    /** Gives up what has rested long enough, but for the overflow label. */
    void sweep() {
        int now = ++period;
        table.forEach((key, series) -> {
            if (now - series.touchedIn > REST_PERIODS && !series.fairnessId.equals(LabelGuard.OTHER) && series.retire()) {
                table.remove(key, series);
            }
        });
    }

    /**
     * Flow control has forgotten a flow: its series goes at once, unless somebody is inside. Series that flows share, the overflow's and
     * those of cut or repaired ids, stay and rest.
     */
    void forget(FlowKey flow) {
        FlowSeries series = table.get(flow);
        if (series != null && !series.fairnessId.equals(LabelGuard.OTHER) && series.retire()) {
            table.remove(flow, series);
        }
    }

    Collection<FlowSeries> all() {
        return table.values();
    }
}
