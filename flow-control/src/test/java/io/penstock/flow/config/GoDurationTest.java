package io.penstock.flow.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoDurationTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "-0, 0", "+0, 0", "0s, 0", "1ns, 1", "7us, 7000", "7\u00b5s, 7000", "7\u03bcs, 7000", "300ms, 300000000",
            "2s, 2000000000", "1m, 60000000000", "2h, 7200000000000", "1m30s, 90000000000", "1h2m3.5s, 3723500000000",
            "1.5h, 5400000000000",
            ".5s, 500000000", "1.s, 1000000000", "-1m30s, -90000000000", "+5s, 5000000000", "0.3333333333333333333h, 1200000000000",
            "0.1234567891234567899999s, 123456789", "9223372036854775807ns, 9223372036854775807", "1s1s, 2000000000",
            "0000000000000000000000001s, 1000000000"})
    void aNumberAndItsUnitAreRead(String text, long nanos) {
        assertThat(GoDuration.parseNanos(text)).isEqualTo(nanos);
        assertThat(GoDuration.tryParseNanos(text)).isEqualTo(nanos);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "+", "5", "5x", "x", ".", ".s", "-.s", "1s5", "5 s", " 5s", "5s ", "--5s", "5S", "1d", "1..5s", "1e3s",
        "\u0665s", "9223372036854775808ns", "9223372036854775807ns1ns", "-9223372036854775808ns", "2562048h", "99999999999999999999s",
        "9223372036.854775808s", "NaN", "1s-1s"})
    void anythingElseIsRefused(String text) {
        assertThat(GoDuration.tryParseNanos(text)).isEqualTo(GoDuration.INVALID);
        assertThatIllegalArgumentException().isThrownBy(() -> GoDuration.parseNanos(text))
                .withMessageStartingWith('"' + text + "\": ").withMessageEndingWith("(expected: a Go duration such as 300ms, 1m30s)");
    }

    @ParameterizedTest
    @CsvSource({"5x, unknown unit", "5, a unit is missing", "s, a number is missing", "'', nothing to read", "300000000h, too long"})
    void theMessageSaysWhatIsWrong(String text, String reason) {
        assertThatIllegalArgumentException().isThrownBy(() -> GoDuration.parseNanos(text))
                .withMessage('"' + text + "\": " + reason + " (expected: a Go duration such as 300ms, 1m30s)");
    }

    @Test
    void aLongTextIsNotRepeatedWhole() {
        assertThatIllegalArgumentException().isThrownBy(() -> GoDuration.parseNanos("9".repeat(5_000)))
                .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(200));
    }

    @ParameterizedTest
    @CsvSource({"0s, 0", "15ns, 15", "1.5us, 1500", "200ms, 200000000", "1s, 1000000000", "1.000000001s, 1000000001", "1m30s, 90000000000",
            "1h, 3600000000000", "1h0.05s, 3600050000000", "-2m, -120000000000"})
    void aDurationIsWrittenShort(String text, long nanos) {
        assertThat(GoDuration.format(nanos)).isEqualTo(text);
    }

    @Test
    void whatIsWrittenIsReadBack() {
        Random random = new Random(17);
        for (int i = 0; i < 20_000; i++) {
            long nanos = random.nextLong() >> random.nextInt(63);
            if (nanos != Long.MIN_VALUE) {
                assertThat(GoDuration.parseNanos(GoDuration.format(nanos))).isEqualTo(nanos);
            }
        }
        assertThat(GoDuration.parseNanos(GoDuration.format(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
        assertThat(GoDuration.parseNanos(GoDuration.format(-Long.MAX_VALUE))).isEqualTo(-Long.MAX_VALUE);
    }
}
