package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.request.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/request-life.md says what the code does. */
class RequestLifeTest {

    private static String page() throws IOException {
        return Files.readString(Path.of(System.getProperty("penstock.root"), "docs", "request-life.md"));
    }

    private static List<String> firstCode(String linePattern) throws IOException {
        Matcher matcher = Pattern.compile(linePattern, Pattern.MULTILINE).matcher(page());
        List<String> found = new ArrayList<>();
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    @Test
    void thePageListsTheHandlersInTheChainsOrder() throws IOException {
        List<String> handlers = new ArrayList<>();
        try (ChainFixture fixture = new ChainFixture()) {
            RequestHandler handler = fixture.chain().first();
            handlers.add(handler.getClass().getSimpleName());
            while (handler.next() != handler) {
                handler = handler.next();
                handlers.add(handler.getClass().getSimpleName());
            }
        }
        assertThat(firstCode("^\\d+\\. `(\\w+)`")).isEqualTo(handlers);
    }

    @Test
    void thePageListsEveryPhase() throws IOException {
        List<String> phases = Arrays.stream(Phase.values()).map(Enum::name).toList();
        assertThat(firstCode("^\\| `([A-Z]+)` \\|")).isEqualTo(phases);
    }
}
