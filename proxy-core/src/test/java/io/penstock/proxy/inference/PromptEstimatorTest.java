package io.penstock.proxy.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PromptEstimatorTest {

    private final PromptEstimator estimator = new PromptEstimator();

    private PromptEstimate estimate(String path, String json) throws IOException {
        return estimate(path, json.getBytes(StandardCharsets.UTF_8));
    }

    private PromptEstimate estimate(String path, byte[] bytes) throws IOException {
        PromptShape shape = PromptShape.of(path);
        assertThat(shape).as(path).isNotNull();
        return estimator.estimate(shape, Unpooled.wrappedBuffer(bytes));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"prompt":"12345678"}                               | 2
            {"prompt":"123456789"}                              | 3
            {"prompt":""}                                       | 0
            {"prompt":["12345","1"]}                            | 3
            {"prompt":[1,2,3,4,5]}                              | 5
            {"prompt":[[1,2],[3]]}                              | 3
            {"prompt":"éé€\\n"}                                 | 2
            {"prompt":"\\ud83d\\ude00\\u0041"}                  | 2
            {"model":"a long name","prompt":"1234"}             | 1
            {"prompt":"1234567890123456","prompt":"1234"}       | 1
            {"prompt":7,"n":{"prompt":"12345678"}}              | 1
            {"prompt":null}                                     | 0
            {}                                                  | 0
            """)
    void aCompletionCountsItsTextsAndTokenIds(String json, long tokens) throws IOException {
        assertThat(estimate("/v1/completions", json).promptTokens()).isEqualTo(tokens);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"messages":[{"role":"user","content":"1234"}]}                                                     | 2
            {"messages":[{"role":"user","content":"12"},{"role":"user","content":"3456"}]}                      | 4
            {"messages":[{"role":"user","content":[{"type":"text","text":"1234"}]}]}                            | 2
            {"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,x"}}]}]}       | 226
            {"messages":[{"role":"user","content":[{"type":"input_image"},{"type":"text","text":"1"}]}]}        | 227
            {"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"long enough"}]}]}              | 3
            {"tools":[ {"a" : "b"} ],"messages":[]}                                                             | 3
            {"tools":[{"a":"\\"","n":[1,true,null,{}]}],"messages":[]}                                           | 9
            {"system":"12345678","messages":[{"role":"user","content":""}]}                                     | 3
            {"messages":[{"role":"user","content":"1234"}],"messages":[{"role":"user","content":""}]}           | 1
            {"messages":"no list","tools":"none"}                                                               | 2
            {"messages":[[],7,"x",{"role":{"content":"1234"},"content":{"text":"1234"}}]}                       | 0
            """)
    void aChatCountsToolsRolesAndTextsAsOneText(String json, long tokens) throws IOException {
        assertThat(estimate("/v1/chat/completions", json).promptTokens()).isEqualTo(tokens);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /v1/embeddings            | {"input":"123456"}                        | 2
            /v1/embeddings            | {"input":[1,2,3]}                         | 3
            /v1/embeddings            | {"input":[[1,2],[3]]}                     | 3
            /v1/embeddings            | {"input":["ab", "cd"]}                    | 3
            /v1/responses             | {"input":[{"role": "user"}],"prompt":"x"} | 5
            /v1/conversations         | {"items":[{"a":1}]}                       | 3
            /inference/v1/generate    | {"token_ids":[1,2,3,4]}                   | 4
            /generate                 | {"input_ids":[1,2]}                       | 2
            /generate?x=/completions  | {"input_ids":[1,2],"text":"abcdefgh"}     | 2
            """)
    void otherBodiesCountTheirInput(String path, String json, long tokens) throws IOException {
        assertThat(estimate(path, json).promptTokens()).isEqualTo(tokens);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /v1/completions        | {"max_tokens":7}                                            | 7
            /v1/completions        | {"max_tokens":0}                                            | 0
            /v1/completions        | {"max_tokens":-1}                                           | -1
            /v1/completions        | {"max_tokens":7.5}                                          | -1
            /v1/completions        | {"max_tokens":"7"}                                          | -1
            /v1/completions        | {"max_tokens":99999999999999999999999}                      | -1
            /v1/completions        | {"sampling_params":{"max_tokens":7}}                        | -1
            /v1/chat/completions   | {"max_tokens":7,"max_completion_tokens":5}                  | 5
            /v1/chat/completions   | {"max_completion_tokens":5,"max_tokens":7}                  | 5
            /v1/chat/completions   | {"max_completion_tokens":-5,"max_tokens":7}                 | 7
            /v1/responses          | {"max_output_tokens":9,"max_tokens":7}                      | 9
            /inference/v1/generate | {"sampling_params":{"x":[{}],"max_tokens":4},"token_ids":[]} | 4
            /generate              | {"sampling_params":{"max_new_tokens":3}}                    | 3
            """)
    void theClientsOwnLimitIsRead(String path, String json, long most) throws IOException {
        assertThat(estimate(path, json).maxOutputTokens()).isEqualTo(most);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/images/generations", "/v1/models", "/", "/v1/completion", "/tokenize"})
    void nothingIsKnownOfOtherPaths(String path) {
        assertThat(PromptShape.of(path)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "7", "{\"prompt\":\"x\"",
        "{\"prompt\":\"x\"}{}", "{prompt:1}", "{\"prompt\":[1,", "nonsense", "\u0000"})
    void whatIsNoJsonObjectCannotBeRead(String body) {
        assertThatThrownBy(() -> estimate("/v1/completions", body)).isInstanceOf(IOException.class);
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheText() throws IOException {
        assertThat(estimate("/v1/completions", "\ufeff{\"prompt\":\"1234\"}").promptTokens()).isEqualTo(1);
    }

    @Test
    void invalidUtf8IsCountedAsWhatItIsReplacedWith() throws IOException {
        byte[] bytes = "{\"prompt\":\"xy\u00ff\"}".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(estimate("/v1/completions", bytes).promptTokens()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "Infinity", "-Infinity"})
    void whatServersInPythonTakeForANumberHidesNoPrompt(String number) throws IOException {
        assertThat(estimate("/v1/completions", "{\"prompt\":\"12345678\",\"n\":" + number + "}").promptTokens()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"prompt", "other"})
    void depthIsCountedByItsBytes(String field) throws IOException {
        String bomb = "{\"" + field + "\":" + "[".repeat(200_000);
        assertThat(estimate("/v1/completions", bomb).promptTokens()).isEqualTo((bomb.length() + 3) / 4);
    }

    @Test
    void aNumberOfAMillionDigitsIsCountedByItsBytes() throws IOException {
        String bomb = "{\"max_tokens\":" + "9".repeat(1_000_000) + "}";
        assertThat(estimate("/v1/completions", bomb).promptTokens()).isEqualTo((bomb.length() + 3) / 4);
    }

    @Test
    void aTextBeyondAnyContextIsCountedByItsBytesAndAPictureOfThatSizeAsAPicture() throws IOException {
        String text = "x".repeat(PromptEstimator.MAX_TEXT + 100_000);
        String body = "{\"prompt\":\"" + text + "\"}";
        assertThat(estimate("/v1/completions", body).promptTokens()).isEqualTo((body.length() + 3) / 4);
        assertThat(estimate("/v1/chat/completions", "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":"
                + "{\"url\":\"" + text + "\"}}]}]}").promptTokens()).isEqualTo(226);
    }

    @ParameterizedTest
    @ValueSource(strings = {"prompt", "other"})
    void moreValuesThanAPromptHasAreCountedByTheirBytes(String field) throws IOException {
        String body = "{\"" + field + "\":[0" + ",0".repeat(BoundedParser.MOST) + "]}";
        assertThat(estimate("/v1/completions", body).promptTokens()).isEqualTo((body.length() + 3) / 4);
    }

    @Test
    void aNameThatNoFieldHasIsCountedByItsBytes() throws IOException {
        String body = "{\"" + "x".repeat(PromptEstimator.MAX_NAME + 1000) + "\":1}";
        assertThat(estimate("/v1/completions", body).promptTokens()).isEqualTo((body.length() + 3) / 4);
    }

    /** Each of them is small enough by itself. */
    @ParameterizedTest
    @ValueSource(strings = {"\"%s\"", "{\"%s\":1}", "{\"x\":%s}"})
    void whatIsReadOfOneBodyIsBoundedAsAWhole(String part) throws IOException {
        int length = 1000;
        String small = part.formatted("1".repeat(length));
        int count = BoundedParser.MOST * BoundedParser.CHARACTERS / length + 1;
        String body = "{\"prompt\":[" + (small + ",").repeat(count) + "0]}";
        assertThat(estimate("/v1/completions", body).promptTokens()).isEqualTo((body.length() + 3) / 4);
    }

    @Test
    void aTextOfMegabytesIsReadWholeFromAnyPieces() throws IOException {
        byte[] bytes = ("{\"prompt\":\"" + "\u20ac".repeat(1 << 20) + "\"}").getBytes(StandardCharsets.UTF_8);
        Random random = new Random(7);
        ByteBuf[] pieces = new ByteBuf[500];
        int at = 0;
        for (int i = 0; i < pieces.length; i++) {
            int end = i == pieces.length - 1 ? bytes.length : Math.min(bytes.length, at + random.nextInt(9000));
            pieces[i] = Unpooled.wrappedBuffer(bytes, at, end - at);
            at = end;
        }
        ByteBuf whole = Unpooled.wrappedBuffer(pieces.length, pieces);
        assertThat(estimator.estimate(PromptShape.COMPLETION, whole).promptTokens()).isEqualTo(3 * (1 << 20) / 4);
        assertThat(whole.readerIndex()).as("the body stays as it was").isZero();
    }

    /** Random bytes, and documents with one byte changed: an answer or an IOException, nothing else. */
    @Test
    void noBodyBreaksTheReader() {
        byte[] good = ("{\"tools\":[{\"a\":[1,2.5e3,true,null]}],\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                + "\"text\":\"\\u00e9x\"}]}],\"max_tokens\":5,\"sampling_params\":{\"max_tokens\":1}}").getBytes(StandardCharsets.UTF_8);
        Random random = new Random(11);
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = good.clone();
            for (int change = random.nextInt(3); change >= 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try {
                PromptEstimate estimate = estimator.estimate(PromptShape.values()[i % 4], Unpooled.wrappedBuffer(bytes));
                assertThat(estimate.promptTokens()).isBetween(0L, 1000L);
                read++;
            } catch (IOException expected) {
                // The body counts by its bytes then.
            }
        }
        assertThat(read).isBetween(1_000, 19_000);
    }
}
