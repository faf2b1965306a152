package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MetricSpecTest {

    @Test
    void aNameAloneMeansAllItsSeries() {
        assertThat(MetricSpec.parse(" vllm:num_requests_waiting ")).isEqualTo(new MetricSpec("vllm:num_requests_waiting", Map.of()));
        assertThat(MetricSpec.parse("a{}")).isEqualTo(new MetricSpec("a", Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"m{a=b,c=d e}", "m{a=\"b\",c=\"d e\"}", "m { a = b , c = \"d e\" }", "m{a=b,c=d e,}", "m{c=d e,a=\"b\"}"})
    void labelsMayBeQuotedOrNot(String text) {
        assertThat(MetricSpec.parse(text)).isEqualTo(new MetricSpec("m", Map.of("a", "b", "c", "d e")));
    }

    @Test
    void aQuotedValueMayHoldAnything() {
        assertThat(MetricSpec.parse("m{a=\"},{=\\\"\\\\\\n\"}").labels()).isEqualTo(Map.of("a", "},{=\"\\\n"));
        assertThat(MetricSpec.parse("m{a=}").labels()).isEqualTo(Map.of("a", ""));
        assertThat(MetricSpec.parse("m{b=2,a=1}")).hasToString("m{a=1,b=2}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{a=b}|has no metric name", "1a|is no metric name", "a b|is no metric name",
        "m{a=b|lacks its closing brace", "m{a=b} x|lacks its closing brace", "m{a}|has labels that are no pairs label=value",
        "m{a=b c=\"d\"}|has labels that are no pairs label=value", "m{,a=b}|has labels that are no pairs label=value",
        "m{a=\"b}|has labels that are no pairs label=value", "m{a=~b}|has labels that are no pairs label=value",
        "m{a!=b}|has a!, which is no label name", "m{=b}|has , which is no label name", "m{a=b,a=b}|has the label a twice",
        "m{a=b}}|has labels that are no pairs label=value", "m{a=\"\\x\"}|has labels that are no pairs label=value"})
    void anythingElseIsRefusedWithItsReason(String text, String reason) {
        assertThatThrownBy(() -> MetricSpec.parse(text)).isInstanceOf(IllegalArgumentException.class).hasMessage(reason);
    }

    @Test
    void lengthAloneDoesNoHarm() {
        String value = "x\\n".repeat(50_000);
        assertThat(MetricSpec.parse("m{a=\"" + value + "\"}").labels().get("a")).hasSize(100_000);
        for (String endless : List.of(" ".repeat(50_000), "a=" + " ".repeat(50_000) + "\"", "a=\"" + value)) {
            assertThatThrownBy(() -> MetricSpec.parse("m{" + endless + "x}")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void moreLabelsThanAnybodyMeansAreRefused() {
        StringBuilder many = new StringBuilder("m{");
        for (int i = 0; i <= MetricSpec.MOST_LABELS; i++) {
            many.append('l').append(i).append("=v,");
        }
        assertThatThrownBy(() -> MetricSpec.parse(many.append('}').toString())).hasMessage("has more than 16 labels");
    }
}
