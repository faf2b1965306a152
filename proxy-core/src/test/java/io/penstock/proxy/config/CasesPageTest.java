package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds docs/llm-d-cases.md to the tests that it names, and to the cases that there are. */
final class CasesPageTest {

    /** The edge cases of spec/flow-control section 12. */
    private static final int NUMBERED = 65;
    private static final Set<String> REPORTED = Set.of("FC-01", "FC-02", "FC-04", "FC-05", "FC-07", "FC-08", "FC-10", "FC-11", "FC-13",
            "FC-14", "FC-16", "FC-17", "FC-19", "FC-20", "FC-22", "FC-23", "FC-25", "FC-26", "FC-28", "FC-29", "FC-31", "MET-01", "MET-03",
            "MET-04", "MET-06", "MET-07", "CFG-01", "CFG-02", "CFG-04", "CFG-05", "CFG-07", "CFG-08", "DSC-02", "DSC-03", "DSC-05",
            "DSC-06");
    private static final Pattern ROW = Pattern.compile("^\\| ((?:[A-Z]+-)?\\d+) \\| (.+) \\| (.+) \\|$", Pattern.MULTILINE);
    private static final Pattern NAMED = Pattern.compile("`(\\w+)#(\\w+)`");
    /** A test method with what stands between its annotation and its name: further annotations, and arguments of those. */
    private static final Pattern METHOD = Pattern.compile("@(?:Parameterized)?Test\\b(?:(?!\\bvoid\\b)[\\s\\S])*?\\bvoid (\\w+)\\(");
    private static final Pattern ID = Pattern.compile("^\\*\\*((?:FC|MET|CFG|DSC)-\\d+) ", Pattern.MULTILINE);

    private static String page = "";

    @BeforeAll
    static void readPage() throws IOException {
        page = Files.readString(Loading.repository().resolve("docs/llm-d-cases.md"));
    }

    @Test
    void everyCaseHasExactlyOneRow() {
        List<String> expected = new ArrayList<>(IntStream.rangeClosed(1, NUMBERED).mapToObj(Integer::toString).toList());
        expected.addAll(REPORTED);
        assertThat(ROW.matcher(page).results().map(row -> row.group(1))).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void everyRowNamesATestAndEveryTestExists() throws IOException {
        Map<String, Set<String>> tests = tests();
        List<String> missing = new ArrayList<>();
        ROW.matcher(page).results().forEach(row -> {
            assertThat(NAMED.matcher(row.group(3)).find()).as("case %s names a test", row.group(1)).isTrue();
            NAMED.matcher(row.group(3)).results().filter(named -> !tests.getOrDefault(named.group(1), Set.of()).contains(named.group(2)))
                    .forEach(named -> missing.add(row.group(1) + ": " + named.group()));
        });
        assertThat(missing).as("tests that the page names and nobody has written").isEmpty();
    }

    /** Where the reports themselves lie next to the repository, none of them is left out. */
    @Test
    void everyReportedCaseIsKnown() throws IOException {
        String beside = Loading.repository().resolveSibling("shared").toString();
        Path reports = Path.of(System.getProperty("penstock.shared", beside), "cases", "user-reports.md");
        Assumptions.assumeTrue(Files.isReadable(reports), () -> "NOT RUN: THE PAGE IS HELD TO NO REPORTS, NONE AT " + reports);
        assertThat(new TreeSet<>(REPORTED)).isEqualTo(new TreeSet<>(
                ID.matcher(Files.readString(reports)).results().map(id -> id.group(1)).toList()));
    }

    private static Map<String, Set<String>> tests() throws IOException {
        Map<String, Set<String>> tests = new HashMap<>();
        for (String module : List.of("flow-control", "detectors", "proxy-core")) {
            try (Stream<Path> files = Files.walk(Loading.repository().resolve(module).resolve("src/test/java"))) {
                for (Path file : files.filter(path -> path.toString().endsWith("Test.java")).toList()) {
                    String name = file.getFileName().toString().replace(".java", "");
                    METHOD.matcher(Files.readString(file)).results()
                            .forEach(method -> tests.computeIfAbsent(name, any -> new HashSet<>()).add(method.group(1)));
                }
            }
        }
        return tests;
    }
}
