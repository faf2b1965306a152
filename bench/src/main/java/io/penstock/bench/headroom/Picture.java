package io.penstock.bench.headroom;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The picture of one run: windows and headroom above, refusals below. Stateless. */
final class Picture {

    /** Samples that one point of the lower panel adds up. */
    private static final int BIN = 5;

    private Picture() {
    }

    static String of(Cell cell, Series series) {
        List<Series.Point> points = series.points();
        String title = String.format(Locale.ROOT, "%s: %d dispatchers, band of %d, interactive load %.0f %%", cell.label(),
                cell.dispatchers(), cell.band(), cell.load() * 100);
        double seconds = (cell.times().warmMillis() + cell.times().millis()) / 1000.0;
        Chart chart = new Chart(title, seconds)
                .panel("requests", 220, line("all windows", 0, points, Series.Point::window),
                        line("in flight", 2, points, Series.Point::inFlight),
                        line("headroom", 1, points, Series.Point::headroom))
                .panel("refusals in 100 ms", 90, refusals(points));
        if (cell.service().pace() != 1) {
            chart.mark(cell.times().warmMillis() / 1000.0, "the pool slows down");
        }
        return chart.svg();
    }

    private static Chart.Line line(String name, int colour, List<Series.Point> points, ToDoubleFunction<Series.Point> value) {
        return new Chart.Line(name, colour, points.stream().mapToDouble(Series.Point::seconds).toArray(),
                points.stream().mapToDouble(value).toArray());
    }

    private static Chart.Line refusals(List<Series.Point> points) {
        int bins = Math.max(0, (points.size() - 1) / BIN);
        double[] x = new double[bins];
        double[] y = new double[bins];
        for (int i = 0; i < bins; i++) {
            x[i] = points.get((i + 1) * BIN).seconds();
            y[i] = points.get((i + 1) * BIN).refusals() - points.get(i * BIN).refusals();
        }
        return new Chart.Line("refused", 3, x, y);
    }
}
