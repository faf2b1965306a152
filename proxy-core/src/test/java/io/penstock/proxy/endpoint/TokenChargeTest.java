package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenChargeTest {

    @ParameterizedTest
    @CsvSource({
        // counted, output, ratio, most, prompt, client's most, charged
        "false, true, 1.5, -1, 100, -1, 0",
        "true, false, 1.5, -1, 100, 7, 100",
        "true, true, 1.5, -1, 100, -1, 250",
        "true, true, 1.5, -1, 1, -1, 3",
        "true, true, 0, -1, 100, -1, 100",
        "true, true, 1.5, -1, 100, 7, 107",
        "true, true, 1.5, 20, 100, -1, 120",
        "true, true, 1.5, 20, 100, 7, 107",
        "true, true, 1.5, 0, 100, 7, 100",
        "true, true, 1.5, -1, 100, 0, 100",
        "true, true, 1e300, -1, 9223372036854775807, -1, 274877906944",
        "true, false, 1.5, -1, 9223372036854775807, -1, 274877906944",
        "true, true, 1.5, -1, -5, -1, 0"})
    void aRequestCostsItsPromptAndWhatItsAnswerMayBe(boolean counted, boolean output, double ratio, long most, long prompt,
            long clientMost, long charged) {
        assertThat(new TokenCharge(counted, output, ratio, most).of(Fleet.sized(prompt, clientMost))).isEqualTo(charged);
    }
}
