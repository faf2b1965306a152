package io.penstock.proxy.metrics;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** One scrape, read strictly: a line that is no sample and no comment fails the test. */
record Page(String text, String type) {

    private static final Pattern SAMPLE = Pattern.compile(
            "[a-zA-Z_:][a-zA-Z0-9_:]*(\\{([a-z_]+=\"(\\\\[\\\\n\"]|[^\\\\\"\\p{Cntrl}])*\",?)*})? (NaN|[+-]?Inf|[-+0-9.eE]+)");

    static Page of(MetricsExport export) {
        return of(export, null);
    }

    static Page of(MetricsExport export, String accept) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            String type = export.scrape(accept, out);
            Page page = new Page(out.toString(StandardCharsets.UTF_8), type);
            page.lines().forEach(Page::check);
            return page;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void check(String line) {
        if (!SAMPLE.matcher(line).matches()) {
            throw new AssertionError("not a sample: " + line);
        }
    }

    /** All samples. */
    List<String> lines() {
        return text.lines().filter(line -> !line.startsWith("#")).toList();
    }

    /** Samples of one name. */
    List<String> lines(String name) {
        return lines().stream().filter(line -> line.startsWith(name + '{') || line.startsWith(name + ' ')).toList();
    }

    /** The value of the one sample that has the name and all the labels. */
    double value(String name, String... labels) {
        List<String> found = lines(name).stream().filter(line -> List.of(labels).stream().allMatch(line::contains)).toList();
        if (found.size() != 1) {
            throw new AssertionError(name + ' ' + List.of(labels) + ": " + found);
        }
        return Double.parseDouble(found.get(0).substring(found.get(0).lastIndexOf(' ') + 1));
    }

    /** Families in the text form. */
    Set<String> families() {
        Set<String> names = new TreeSet<>();
        text.lines().filter(line -> line.startsWith("# TYPE ")).forEach(line -> names.add(line.split(" ")[2]));
        return names;
    }
}
