package io.penstock.flow.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** All bands of one moment, highest first. Immutable, swapped as a whole; any thread. */
final class BandTable {

    private final Band[] bands;
    private final int[] priorities;
    /** Filled before the table is published and never changed after that, so reading it needs no lock. */
    private final Int2ObjectHashMap<Band> byPriority = new Int2ObjectHashMap<>();
    private final Band zero;

    BandTable(List<Band> all) {
        List<Band> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingInt((Band band) -> band.priority).reversed());
        this.bands = sorted.toArray(new Band[0]);
        this.priorities = sorted.stream().mapToInt(band -> band.priority).toArray();
        sorted.forEach(band -> byPriority.put(band.priority, band));
        Band found = find(0);
        if (found == null) {
            throw new IllegalArgumentException("bands: no band 0 (expected: always one)");
        }
        this.zero = found;
    }

    @Nullable Band find(int priority) {
        return byPriority.get(priority);
    }

    /** Band 0, which always exists. */
    Band zero() {
        return zero;
    }

    int size() {
        return bands.length;
    }

    Band at(int index) {
        return bands[index];
    }

    /** Highest first; not to be changed. */
    int[] priorities() {
        return priorities;
    }

    List<Band> all() {
        return List.of(bands);
    }
}
