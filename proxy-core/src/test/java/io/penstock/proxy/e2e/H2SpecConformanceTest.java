package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.H2Spec;
import io.penstock.proxy.testkit.TestTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** h2spec, strict, through the whole proxy to a backend; what fails is listed in docs/h2spec.md, no more and no less. */
class H2SpecConformanceTest {

    private static final Pattern LISTED = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE);

    @TempDir
    private Path directory;

    private static Set<String> listed() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("penstock.root"), "docs", "h2spec.md"));
        return LISTED.matcher(page).results().map(row -> row.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static void assertConforming(H2Spec.Report report) throws IOException {
        assertThat(report.cases()).hasSize(146);
        assertThat(report.executed()).isEqualTo(146);
        Set<String> failed = report.failures().stream().map(one -> one.section() + ' ' + one.name())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(failed).as(() -> report.failures().toString()).isEqualTo(listed());
    }

    @Test
    void plainConnectionsConform() throws Exception {
        try (ScriptedBackend backend = ScriptedBackend.start().answer(Script.json(200, "0123456789"));
                RunningProxy proxy = RunningProxy.start(2, List.of(backend), "", RunningProxy.PICKER.formatted(100))) {
            assertConforming(H2Spec.run(proxy.port(), Duration.ofMinutes(2)));
            proxy.awaitQuiet();
        }
    }

    @Test
    void tlsConnectionsConform() throws Exception {
        TestTls tls = TestTls.create("localhost");
        try (ScriptedBackend backend = ScriptedBackend.start().answer(Script.json(200, "0123456789"));
                RunningProxy proxy = RunningProxy.startTls(2, List.of(backend), tls.certificate(directory),
                        tls.privateKey(directory), "")) {
            assertConforming(H2Spec.run(proxy.tlsPort(), true, Duration.ofMinutes(2)));
            proxy.awaitQuiet();
        }
    }
}
