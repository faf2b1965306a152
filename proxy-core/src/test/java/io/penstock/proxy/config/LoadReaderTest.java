package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadReaderTest {

    private static final String TOKENS = "{type: concurrency-detector, name: t, parameters: {concurrencyMode: tokens}}";

    private static LoadAccounting load(String rest) {
        return Loading.good(Loading.PICKER + rest).picker().load();
    }

    private static String producer(String parameters) {
        return Loading.GATE + "plugins: [{type: inflight-load-producer, parameters: {" + parameters + "}}]\n";
    }

    @Test
    void withoutAProducerItsDefaultsHold() {
        assertThat(load(Loading.GATE)).isEqualTo(new LoadAccounting(false, false, 1.5, -1)).isEqualTo(load(producer("")));
    }

    @Test
    void aProducersParametersAreRead() {
        assertThat(load(producer("addEstimatedOutputTokens: true, outputRatio: 0, maxEstimatedOutputTokens: 0")))
                .isEqualTo(new LoadAccounting(false, true, 0, 0));
        assertThat(load(producer("outputRatio: 2.5, maxEstimatedOutputTokens: 4096, syncCrossReplicaState: false")))
                .isEqualTo(new LoadAccounting(false, false, 2.5, 4096));
    }

    @ParameterizedTest
    @ValueSource(strings = {"outputRatio: -0.1", "outputRatio: .nan", "outputRatio: .inf", "outputRatio: much",
        "maxEstimatedOutputTokens: -1", "maxEstimatedOutputTokens: 1.5", "maxEstimatedOutputTokens: all",
        "addEstimatedOutputTokens: 7", "unknown: 1"})
    void aWrongParameterIsAnError(String parameter) {
        assertThat(Loading.load(Loading.PICKER + producer(parameter)).settings()).isNull();
    }

    @Test
    void whatWouldDoNothingIsSaid() {
        assertThat(Loading.lines(Loading.PICKER + producer("prefixMatchInfoProducerName: p, syncCrossReplicaState: true"))).hasSize(2)
                .allMatch(line -> line.contains("warning"));
    }

    @Test
    void twoProducersAreOneTooMany() {
        String two = Loading.PICKER + "plugins:\n- {type: inflight-load-producer}\n- {type: inflight-load-producer, name: b}\n";
        assertThat(Loading.lines(two)).singleElement().asString().contains("c:5:", "expected: one");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {type: token-producer}                                    | true
            {type: tokenizer, parameters: {mode: estimate}}           | true
            {type: token-producer, parameters: {mode: vllm}}          | false
            {type: token-producer, parameters: {estimate: 1}}         | false
            """)
    void tokensAreEstimatedOrNot(String plugin, boolean accepted) {
        assertThat(Loading.load(Loading.PICKER + "plugins: [" + plugin + "]\n").settings() != null).isEqualTo(accepted);
    }

    @Test
    void onlyADetectorInUseCountsTokens() {
        String plugins = "plugins: [" + TOKENS + "]\n";
        assertThat(load(Loading.GATE + plugins).countsTokens()).as("declared, not used").isFalse();
        String byDefault = plugins + "flowControl: {saturationDetector: {pluginRef: t}}\n";
        assertThat(load(Loading.GATE + byDefault).countsTokens()).isTrue();
        assertThat(load(Loading.GATE + byDefault.replace("mode: tokens", "mode: requests")
                .replace("Mode: tokens", "Mode: requests")).countsTokens()).isFalse();
        assertThat(load(Loading.GATE + byDefault.replace("Mode: tokens", "Mode: hybrid")).countsTokens()).isTrue();
    }

    @Test
    void aStagesDetectorCountsTokensWithFlowControlOn() {
        String stage = "plugins: [" + TOKENS + "]\nflowControl: {saturationDetector: {stages: {prefill: t}}}\n";
        assertThat(load(Loading.GATE + stage).countsTokens()).isTrue();
        assertThat(Loading.settings(Loading.load(Loading.PICKER + stage)).picker().load().countsTokens()).isFalse();
    }
}
