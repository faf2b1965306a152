package io.penstock.flow.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ranks the bands for the next dispatch. One thread. */
final class ModelSelection {

    /** Weights of the weighted bands that scripts use, by priority; others have 1. */
    static final Map<Integer, Double> WEIGHTS = Map.of(7, 4.0, 0, 2.0, -1, 0.5);
    private static final double UNIT = 1 << 20;

    private final Setup.Selection setup;

    // Starvation bound: dispatches since the order was broken, and by which band it would be broken now.
    private int since;
    private @Nullable ModelBand promoted;

    // Weighted bands: when each band's turn is.
    private Map<Integer, Long> turns = new HashMap<>();
    private long service;
    private long earliest;

    ModelSelection(Setup.Selection setup) {
        this.setup = setup;
        this.since = setup.share();
    }

    /** @param bands all, highest first */
    List<ModelBand> rank(List<ModelBand> bands, boolean[] open, long now) {
        List<ModelBand> candidates = new ArrayList<>();
        for (int i = 0; i < open.length; i++) {
            if (open[i] && !bands.get(i).isEmpty()) {
                candidates.add(bands.get(i));
            }
        }
        return switch (setup.type()) {
            case "strict" -> candidates;
            case "starvation-bound-policy" -> bounded(candidates, now);
            case "weighted-band-policy" -> weighted(bands, candidates);
            default -> throw new AssertionError(setup.type());
        };
    }

    /** One dispatch in {@code share} goes to the lower band whose head has waited longest, if that is too long. */
    private List<ModelBand> bounded(List<ModelBand> candidates, long now) {
        promoted = null;
        long longest = setup.maxWaitMillis() * 1_000_000;
        for (int i = 1; i < candidates.size() && since + 1 >= setup.share(); i++) {
            Waiting next = candidates.get(i).next();
            if (next != null && now - next.submitted > longest) {
                longest = now - next.submitted;
                promoted = candidates.get(i);
            }
        }
        if (promoted != null) {
            candidates.remove(promoted);
            candidates.add(0, promoted);
        }
        return candidates;
    }

    /** The band whose turn is earliest; what is served puts it off by one dispatch divided by the weight. */
    private List<ModelBand> weighted(List<ModelBand> bands, List<ModelBand> candidates) {
        Map<Integer, Long> known = new HashMap<>();
        for (ModelBand band : bands) {
            known.put(band.priority, Math.max(service, turns.getOrDefault(band.priority, service)));
        }
        turns = known;
        candidates.sort(Comparator.comparingLong((ModelBand band) -> turns.get(band.priority)).thenComparing(band -> -band.priority));
        earliest = candidates.isEmpty() ? service : turns.get(candidates.get(0).priority);
        return candidates;
    }

    void dispatched(ModelBand band) {
        since = band == promoted ? 0 : since + 1;
        if (turns.containsKey(band.priority)) {
            turns.merge(band.priority, (long) (UNIT / WEIGHTS.getOrDefault(band.priority, 1.0)), Long::sum);
            service = Math.max(service, earliest);
        }
    }
}
