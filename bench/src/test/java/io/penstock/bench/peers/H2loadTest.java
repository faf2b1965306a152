package io.penstock.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class H2loadTest {

    private static final String CLEAN = """
            starting benchmark...
            spawning thread #0: 8 total client(s). 100000 total requests
            Application protocol: h2c
            progress: 100% done

            finished in 1.25s, 79965.77 req/s, 13.50MB/s
            requests: 100000 total, 100000 started, 100000 done, 100000 succeeded, 0 failed, 0 errored, 0 timeout
            status codes: 100000 2xx, 0 3xx, 0 4xx, 0 5xx
            traffic: 16.88MB (17700548) total, 6.48MB (6800000) headers (space savings 35.24%), 7.34MB (7700000) data
                                 min         max         mean         sd        +/- sd
            time for request:      124us     10.80ms      1.49ms       710us    92.08%
            time for connect:       98us       504us       229us       125us    75.00%
            """;

    @Test
    void aReportIsRead() {
        H2load report = H2load.parse(CLEAN);
        assertThat(report).isEqualTo(new H2load(79965.77, 100_000, 100_000, 100_000, 0, 1490));
        assertThat(report.clean()).isTrue();
    }

    @Test
    void secondsAndMicrosecondsAreRead() {
        assertThat(H2load.parse(CLEAN.replace("1.49ms", "310us")).meanMicros()).isEqualTo(310);
        assertThat(H2load.parse(CLEAN.replace("1.49ms", "2.5s")).meanMicros()).isEqualTo(2_500_000);
    }

    @Test
    void anythingButAll2xxIsNotClean() {
        assertThat(H2load.parse(CLEAN.replace("100000 2xx, 0 3xx, 0 4xx", "99999 2xx, 0 3xx, 1 4xx")).clean()).isFalse();
        assertThat(H2load.parse(CLEAN.replace("100000 2xx, 0 3xx", "99999 2xx, 1 3xx")).clean()).isFalse();
        assertThat(H2load.parse(CLEAN.replace("0 errored", "3 errored")).failed()).isEqualTo(3);
        assertThat(H2load.parse(CLEAN.replace("0 timeout", "2 timeout")).clean()).isFalse();
        assertThat(H2load.parse(CLEAN.replace("0 failed", "1 failed")).clean()).isFalse();
    }

    @Test
    void halfAReportIsRefusedWithItsText() {
        assertThatThrownBy(() -> H2load.parse(CLEAN.substring(0, CLEAN.indexOf("status codes")))).hasMessageContaining("no report")
                .hasMessageContaining("finished in 1.25s");
        assertThatThrownBy(() -> H2load.parse("")).hasMessageContaining("no report");
        assertThatThrownBy(() -> H2load.parse(CLEAN.replace("79965.77", "nan"))).hasMessageContaining("no report");
    }

    @Test
    void theCommandSaysWhatIsMeasured() {
        assertThat(String.join(" ", H2load.command(Path.of("/usr/bin/h2load"), 81, 8, 16, 1000, Path.of("b.json"))))
                .isEqualTo("/usr/bin/h2load -n 1000 -c 8 -m 16 -d b.json -H content-type: application/json http://127.0.0.1:81/v1/completions");
    }
}
