package io.penstock.bench.scale;

import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A curve as Markdown and as JSON. Stateless. */
final class CurveText {

    private CurveText() {
    }

    /** A table: a row a point, median and range a cell, and below it how the last point compares with the first. */
    static String markdown(Curve curve, List<Point> points, String machine) {
        List<Figure> figures = figures(points);
        StringBuilder text = new StringBuilder("### ").append(curve.axis()).append("\n\n").append(curve.load()).append("; ").append(machine)
                .append("\n\n| ").append(curve.axis());
        figures.forEach(figure -> text.append(" | ").append(figure.title()));
        text.append(" |\n|---").append("|---".repeat(figures.size())).append("|\n");
        for (Point point : points) {
            text.append("| ").append(point.at());
            figures.forEach(figure -> text.append(" | ").append(cell(point, figure)));
            text.append(" |\n");
        }
        return text.append("\nSlope, last point against first: ").append(slope(points, figures)).append("\n").toString();
    }

    private static List<Figure> figures(List<Point> points) {
        return List.copyOf(points.stream().flatMap(point -> point.figures().stream()).collect(Collectors.toCollection(TreeSet::new)));
    }

    private static String cell(Point point, Figure figure) {
        List<Double> values = point.values(figure);
        if (values.isEmpty()) {
            return "";
        }
        String median = number(point.median(figure), figure.decimals());
        return values.size() == 1 ? median
                : median + " (" + number(point.least(figure), figure.decimals()) + "-" + number(point.most(figure), figure.decimals())
                        + ")";
    }

    private static String slope(List<Point> points, List<Figure> figures) {
        return figures.stream().map(figure -> {
            List<Point> with = points.stream().filter(point -> !point.values(figure).isEmpty()).toList();
            double factor = with.get(with.size() - 1).median(figure) / with.get(0).median(figure);
            return figure.title() + " x " + number(factor, 2);
        }).collect(Collectors.joining(", "));
    }

    /** All values of all points, so that anybody can form other figures of them. */
    static String json(Curve curve, List<Point> points, String machine) {
        return points.stream().map(CurveText::json).collect(Collectors.joining(",\n    ",
                "{\n  \"curve\": \"" + curve.id() + "\",\n  \"axis\": \"" + curve.axis() + "\",\n  \"machine\": \"" + machine
                        + "\",\n  \"points\": [\n    ", "\n  ]\n}\n"));
    }

    private static String json(Point point) {
        return point.figures().stream().map(figure -> "\"" + figure.name().toLowerCase(Locale.ROOT) + "\": " + point.values(figure).stream()
                .map(value -> number(value, 3)).collect(Collectors.joining(", ", "[", "]")))
                .collect(Collectors.joining(", ", "{\"at\": \"" + point.at() + "\", ", "}"));
    }

    private static String number(double value, int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
