package io.penstock.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeadersPageTest {

    @Test
    void everyNameThatMeansSomethingIsOnThePage() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("penstock.root"), "docs", "headers.md"));
        for (AsciiString owned : HeaderNames.OWNED) {
            assertThat(page).contains("`" + owned + "`");
        }
        for (String stripped : HeaderNames.STRIPPED) {
            assertThat(page).contains("`" + stripped.replace("*", ""));
        }
        for (AsciiString read : List.of(HeaderNames.OBJECTIVE, HeaderNames.OBJECTIVE_OLD, HeaderNames.FAIRNESS_ID,
                HeaderNames.FAIRNESS_ID_OLD, HeaderNames.TTL, HeaderNames.REQUEST_ID, HeaderNames.RETRY_AFTER)) {
            assertThat(page).contains("`" + read + "`");
        }
    }
}
