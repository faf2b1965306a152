package io.penstock.proxy.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Measures one JSON value, however deep, in one pass and without recursion. One thread. */
final class ValueSize {

    private final JsonParser in;
    private final TextCount text;
    private long jsonBytes;
    private long textTokens;
    private long numbers;
    private boolean onlyNumbers;
    /** A value stands before, in the same list or object, so that a comma follows. */
    private boolean comma;

    ValueSize(JsonParser in, TextCount text) {
        this.in = in;
        this.text = text;
    }

    /** Bytes of the value written without white space. */
    long jsonBytes() {
        return jsonBytes;
    }

    /** Tokens of its texts, each on its own; names of fields are none. */
    long textTokens() {
        return textTokens;
    }

    /** Whole numbers in it. */
    long numbers() {
        return numbers;
    }

    /** Whether it is a list of whole numbers, or of such lists. */
    boolean onlyNumbers() {
        return onlyNumbers && numbers > 0;
    }

    /** Reads the value at which the parser stands, to its end. */
    void measure() throws IOException {
        jsonBytes = 0;
        textTokens = 0;
        numbers = 0;
        onlyNumbers = in.currentToken() == JsonToken.START_ARRAY;
        comma = false;
        int depth = 0;
        JsonToken token = in.currentToken();
        while (token != null) {
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            add(token);
            if (depth == 0) {
                return;
            }
            token = in.nextToken();
        }
        throw new IOException("body: ends within a value");
    }

    private void add(JsonToken token) throws IOException {
        if (comma && !token.isStructEnd()) {
            jsonBytes++;
        }
        comma = !token.isStructStart() && token != JsonToken.FIELD_NAME;
        onlyNumbers &= token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.START_ARRAY || token == JsonToken.END_ARRAY;
        switch (token) {
            case VALUE_STRING -> {
                in.getText(text.reset());
                jsonBytes += text.jsonBytes();
                textTokens += PromptEstimate.tokens(text.bytes());
            }
            case FIELD_NAME -> {
                in.getText(text.reset());
                jsonBytes += text.jsonBytes() + 1;
            }
            case VALUE_NUMBER_INT -> {
                jsonBytes += in.getTextLength();
                numbers++;
            }
            case START_OBJECT, END_OBJECT, START_ARRAY, END_ARRAY -> jsonBytes++;
            default -> jsonBytes += in.getTextLength();
        }
    }
}
