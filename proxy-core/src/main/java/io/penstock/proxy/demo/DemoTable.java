package io.penstock.proxy.demo;

import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.proxy.admin.EndpointRow;
import java.io.Console;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Shows bands and endpoints: on a terminal as a table that is drawn anew in place, elsewhere as one plain line each time. Rates are taken
 * from the last call. One thread.
 */
final class DemoTable {

    private static final String BAND_ROW = "%-10s %8s %8s %8s %9s %13s %11s%n";
    private static final String ENDPOINT_ROW = "%-18s %-21s %9s %8s %8s %6s %s%n";

    private final PrintWriter out;
    private final boolean redraw;
    private final Map<Integer, BandView> before = new HashMap<>();
    private double beforeSeconds;
    private int drawn;

    DemoTable(PrintWriter out, boolean redraw) {
        this.out = out;
        this.redraw = redraw;
    }

    /** Whether standard output is a terminal. */
    static boolean onTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // From 22 on there is a console without a terminal too, and a method that tells.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException olderJava) {
            return true;
        }
    }

    /** Shows this moment, so many seconds after the start. */
    void show(double seconds, List<BandView> bands, List<EndpointRow> endpoints, SortedMap<Integer, Integer> statuses) {
        String text = redraw ? table(seconds, bands, endpoints, statuses) : line(seconds, bands, endpoints, statuses);
        if (drawn > 0) {
            out.print("\033[" + drawn + "A\033[J");
        }
        out.print(text);
        out.flush();
        drawn = redraw ? (int) text.lines().count() : 0;
        bands.forEach(band -> before.put(band.priority(), band));
        beforeSeconds = seconds;
    }

    private String table(double seconds, List<BandView> bands, List<EndpointRow> endpoints, SortedMap<Integer, Integer> statuses) {
        StringBuilder text = new StringBuilder();
        row(text, BAND_ROW, "band", "priority", "queued", "capacity", "headroom", "dispatched/s", "rejected/s");
        for (BandView band : bands) {
            row(text, BAND_ROW, DemoBand.label(band.priority()), band.priority(), band.requests(), capacity(band), headroom(band),
                    rate(band, seconds, true), rate(band, seconds, false));
        }
        text.append(System.lineSeparator());
        row(text, ENDPOINT_ROW, "endpoint", "address", "in flight", "running", "waiting", "kv", "health");
        for (EndpointRow endpoint : endpoints) {
            row(text, ENDPOINT_ROW, endpoint.name(), endpoint.address(), endpoint.inFlightRequests(), known(endpoint.running()),
                    known(endpoint.waiting()), percent(endpoint.kvCacheUsage()), endpoint.health());
        }
        row(text, "%n%.0f s, answers %s%n", seconds, answers(statuses));
        return text.toString();
    }

    private String line(double seconds, List<BandView> bands, List<EndpointRow> endpoints, SortedMap<Integer, Integer> statuses) {
        StringBuilder text = new StringBuilder();
        row(text, "%.0fs", seconds);
        for (BandView band : bands) {
            row(text, "  %s queued=%d/%s headroom=%s dispatched/s=%s rejected/s=%s", DemoBand.label(band.priority()), band.requests(),
                    capacity(band), headroom(band), rate(band, seconds, true), rate(band, seconds, false));
        }
        for (EndpointRow endpoint : endpoints) {
            row(text, "  %s in-flight=%d", endpoint.name(), endpoint.inFlightRequests());
        }
        row(text, "  answers=%s%n", answers(statuses));
        return text.toString();
    }

    private String rate(BandView now, double seconds, boolean dispatched) {
        BandView then = before.get(now.priority());
        double passed = seconds - beforeSeconds;
        if (then == null || passed <= 0) {
            return "-";
        }
        long change = dispatched ? now.dispatchedTotal() - then.dispatchedTotal() : now.rejectedTotal() - then.rejectedTotal();
        return String.format(Locale.ROOT, "%.1f", change / passed);
    }

    private static String capacity(BandView band) {
        return band.maxRequests() == CapacitySnapshot.UNBOUNDED ? "-" : Long.toString(band.maxRequests());
    }

    private static String headroom(BandView band) {
        CapacitySnapshot snapshot = new CapacitySnapshot(band.maxRequests(), band.requests());
        return snapshot.bounded() ? Long.toString(snapshot.headroomRequests()) : "-";
    }

    private static String known(@Nullable Integer value) {
        return value == null ? "-" : value.toString();
    }

    private static String percent(@Nullable Double fraction) {
        return fraction == null ? "-" : Math.round(fraction * 100) + "%";
    }

    private static String answers(SortedMap<Integer, Integer> statuses) {
        StringBuilder text = new StringBuilder();
        statuses.forEach((status, count) -> text.append(text.isEmpty() ? "" : ",").append(status == 0 ? "none" : status).append(':')
                .append(count));
        return text.isEmpty() ? "-" : text.toString();
    }

    private static void row(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }
}
