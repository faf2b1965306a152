package io.penstock.bench.headroom;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Line charts above one another on one time axis, as an SVG file that needs nothing else and reads on a light and on a dark page. One
 * thread.
 */
final class Chart {

    private static final int WIDTH = 860;
    private static final int LEFT = 56;
    private static final int RIGHT = 150;
    private static final int TOP = 48;
    private static final int GAP = 34;
    private static final int BOTTOM = 44;
    /** Colours that are told apart by most colour-blind readers, in a darker and a lighter variant. */
    private static final String STYLE = """
            <style>
            svg { background: #ffffff; font: 12px system-ui, sans-serif; fill: #24292f; }
            .title { font-size: 14px; font-weight: 600; }
            .axis { stroke: #57606a; stroke-width: 1; fill: none; }
            .grid { stroke: #d0d7de; stroke-width: 1; fill: none; }
            .line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
            .c0 { stroke: #0969da; } .c1 { stroke: #bc4c00; } .c2 { stroke: #8250df; } .c3 { stroke: #cf222e; }
            .mark { stroke: #57606a; stroke-width: 1; stroke-dasharray: 4 3; fill: none; }
            @media (prefers-color-scheme: dark) {
              svg { background: #0d1117; fill: #e6edf3; }
              .axis, .mark { stroke: #8b949e; }
              .grid { stroke: #30363d; }
              .c0 { stroke: #58a6ff; } .c1 { stroke: #f0883e; } .c2 { stroke: #bc8cff; } .c3 { stroke: #ff7b72; }
            }
            </style>
            """;

    private final String title;
    private final double seconds;
    private final List<Panel> panels = new ArrayList<>();
    private double markSeconds = -1;
    private String markText = "";

    /** One that spans this many seconds, above 0. */
    Chart(String title, double seconds) {
        this.title = title;
        this.seconds = seconds;
    }

    /**
     * One line.
     *
     * @param name for the legend
     * @param colour 0..3
     * @param x seconds, in order
     * @param y values, as many
     */
    record Line(String name, int colour, double[] x, double[] y) {
    }

    /**
     * Lines that share an axis.
     *
     * @param unit what the axis counts
     * @param height in pixels
     */
    private record Panel(String unit, int height, List<Line> lines) {

        /** What is counted comes in whole numbers, so an axis has room for a few of them. */
        double most() {
            return Math.max(3, lines.stream().flatMapToDouble(line -> Arrays.stream(line.y())).max().orElse(0));
        }
    }

    Chart panel(String unit, int height, Line... lines) {
        panels.add(new Panel(unit, height, List.of(lines)));
        return this;
    }

    /** A vertical line with a word, at a moment at which something was changed. */
    Chart mark(double at, String text) {
        markSeconds = at;
        markText = text;
        return this;
    }

    String svg() {
        int height = TOP + BOTTOM - GAP + panels.stream().mapToInt(panel -> panel.height() + GAP).sum();
        StringBuilder out = new StringBuilder();
        add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">",
                WIDTH, height, WIDTH, height);
        add(out, "<title>%s</title>", escape(title));
        out.append(STYLE);
        add(out, "<text class=\"title\" x=\"%d\" y=\"22\">%s</text>", LEFT, escape(title));
        int top = TOP;
        for (Panel panel : panels) {
            draw(out, panel, top);
            top += panel.height() + GAP;
        }
        timeAxis(out, top - GAP);
        return out.append("</svg>\n").toString();
    }

    private void draw(StringBuilder out, Panel panel, int top) {
        double step = step(panel.most());
        double most = Math.ceil(panel.most() / step) * step;
        for (double value = 0; value <= most + step / 2; value += step) {
            double y = y(value, most, top, panel.height());
            add(out, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>", value == 0 ? "axis" : "grid", LEFT, y, WIDTH - RIGHT);
            add(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", LEFT - 6, y + 4, plain(value));
        }
        add(out, "<text x=\"%d\" y=\"%d\">%s</text>", LEFT - 40, top - 9, escape(panel.unit()));
        if (markSeconds >= 0) {
            add(out, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>", x(markSeconds), top, top + panel.height());
        }
        int row = top + 8;
        for (Line line : panel.lines()) {
            add(out, "<path class=\"line c%d\" d=\"%s\"/>", line.colour(), path(line, most, top, panel.height()));
            add(out, "<path class=\"line c%d\" d=\"M%d %dh22\"/>", line.colour(), WIDTH - RIGHT + 14, row);
            add(out, "<text x=\"%d\" y=\"%d\">%s</text>", WIDTH - RIGHT + 42, row + 4, escape(line.name()));
            row += 20;
        }
    }

    private void timeAxis(StringBuilder out, int bottom) {
        double step = step(seconds);
        for (double at = 0; at <= seconds + 1e-9; at += step) {
            add(out, "<path class=\"axis\" d=\"M%.1f %dv5\"/>", x(at), bottom);
            add(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", x(at), bottom + 19, plain(at));
        }
        add(out, "<text x=\"%d\" y=\"%d\">seconds</text>", WIDTH - RIGHT + 14, bottom + 19);
        if (markSeconds >= 0) {
            add(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", x(markSeconds), bottom + 35, escape(markText));
        }
    }

    private String path(Line line, double most, int top, int height) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < line.x().length; i++) {
            path.append(String.format(Locale.ROOT, "%s%.1f %.1f", i == 0 ? "M" : "L", x(line.x()[i]), y(line.y()[i], most, top, height)));
        }
        return path.toString();
    }

    private double x(double at) {
        return LEFT + at / seconds * (WIDTH - RIGHT - LEFT);
    }

    private static double y(double value, double most, int top, int height) {
        return top + height - Math.max(0, value) / most * height;
    }

    /** 1, 2 or 5 times a power of ten, so that three to six steps reach {@code most}. */
    static double step(double most) {
        double power = Math.pow(10, Math.floor(Math.log10(most / 3)));
        double times = most / 3 / power;
        return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : String.format(Locale.ROOT, "%.1f", value);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static void add(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
