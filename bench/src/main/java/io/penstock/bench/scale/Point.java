package io.penstock.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The figures of one point of a curve, each measured several times. One thread. */
final class Point {

    private final String at;
    private final Map<Figure, List<Double>> values = new TreeMap<>();

    /** One at a place on the curve's axis, as the table shows it. */
    Point(String at) {
        this.at = at;
    }

    String at() {
        return at;
    }

    Point add(Figure figure, double value) {
        values.computeIfAbsent(figure, none -> new ArrayList<>()).add(value);
        return this;
    }

    /** The figures that were measured. */
    List<Figure> figures() {
        return List.copyOf(values.keySet());
    }

    List<Double> values(Figure figure) {
        return values.getOrDefault(figure, List.of());
    }

    /** The middle value, of an even number the lower of the two; NaN where nothing was measured. */
    double median(Figure figure) {
        List<Double> sorted = values(figure).stream().sorted().toList();
        return sorted.isEmpty() ? Double.NaN : sorted.get((sorted.size() - 1) / 2);
    }

    double least(Figure figure) {
        return values(figure).stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
    }

    double most(Figure figure) {
        return values(figure).stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }
}
