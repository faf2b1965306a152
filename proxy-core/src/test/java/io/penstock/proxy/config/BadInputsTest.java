package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables of bad values, in resource files: YAML, then after {@code =>} each line to be said about it, then an empty line. */
final class BadInputsTest {

    static Stream<Arguments> cases() throws IOException {
        return Stream.of(table("bad-proxy.txt", Loading.PROXY), table("bad-picker.txt", Loading.PICKER),
                table("bad-flow-control.txt", Loading.PICKER + Loading.GATE)).flatMap(List::stream);
    }

    private static List<Arguments> table(String resource, String head) throws IOException {
        try (InputStream in = BadInputsTest.class.getResourceAsStream(resource)) {
            assertThat(in).as(resource).isNotNull();
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Stream.of(text.strip().split("\n\n")).map(block -> Arguments.of(head, inputOf(block), linesOf(block))).toList();
        }
    }

    private static String inputOf(String block) {
        return block.lines().filter(line -> !line.startsWith("=> ")).collect(Collectors.joining("\n"));
    }

    private static List<String> linesOf(String block) {
        return block.lines().filter(line -> line.startsWith("=> ")).map(line -> line.substring(3)).toList();
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("cases")
    void aBadValueIsNamedWithItsPlace(String head, String yaml, List<String> expected) {
        LoadResult result = Loading.load(head + yaml + "\n");
        assertThat(Loading.lines(result)).isEqualTo(expected);
        assertThat(result.settings()).isNull();
    }
}
