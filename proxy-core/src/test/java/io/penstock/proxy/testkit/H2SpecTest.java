package io.penstock.proxy.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.proxy.testkit.H2Spec.Case;
import io.penstock.proxy.testkit.H2Spec.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class H2SpecTest {

    @Test
    void everyCaseIsExecuted() throws Exception {
        try (TinyServer server = TinyServer.plain()) {
            H2Spec.Report report = H2Spec.run(server.port(), Duration.ofMinutes(3));
            assertThat(report.cases()).hasSize(146).allSatisfy(c -> assertThat(c.name()).isNotEmpty());
            assertThat(report.executed()).isEqualTo(146);
            assertThat(report.failures()).as("failures of Netty's own stack, without the proxy's checks").hasSizeLessThan(10);
        }
    }

    @Test
    void verdictsAreReadFromTheReport() throws Exception {
        H2Spec.Report report = H2Spec.parse("""
                <testsuites><testsuite name="3.5" tests="3">
                <testcase package="http2/3.5" classname="Sends client connection preface" time="0.1"></testcase>
                <testcase package="http2/4.1" classname="Sends a frame"><failure>GOAWAY Frame
                  Timeout</failure></testcase>
                <testcase package="http2/4.2" classname="Sends a large frame"><skipped></skipped></testcase>
                </testsuite></testsuites>""".getBytes(UTF_8));
        assertThat(report.executed()).isEqualTo(2);
        assertThat(report.failures()).containsExactly(
                new Case("http2/4.1", "Sends a frame", Verdict.FAILED, "GOAWAY Frame | Timeout"));
    }

    @Test
    void aRunThatExecutedNothingIsAFailure() {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> H2Spec.parse("<testsuites/>".getBytes(UTF_8)))
                .withMessage("h2spec: no case was executed, 0 were skipped");
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> H2Spec.parse(
                "<testsuites><testcase package='a' classname='b'><skipped/></testcase></testsuites>".getBytes(UTF_8)));
    }
}
