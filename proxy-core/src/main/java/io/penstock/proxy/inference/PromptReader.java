package io.penstock.proxy.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads one body. Of a field that is there twice the last one counts, as it does for the servers. One thread, used once. */
final class PromptReader {

    /** Pixels for one token, and the size of a picture that is not looked at: 225 tokens. */
    private static final int PICTURE_TOKENS = 640 * 360 / 1024;

    private final PromptShape shape;
    private final JsonParser in;
    private final TextCount text = new TextCount();
    private final ValueSize value;

    private long promptTokens;
    private long toolBytes;
    private long systemBytes;
    private long messageBytes;
    private long pictures;
    private long maxOutput = -1;
    private int maxOutputRank = Integer.MAX_VALUE;

    PromptReader(PromptShape shape, JsonParser in) {
        this.shape = shape;
        this.in = in;
        this.value = new ValueSize(in, text);
    }

    PromptEstimate read() throws IOException {
        if (in.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("body: no JSON object");
        }
        for (String field = in.nextFieldName(); field != null; field = in.nextFieldName()) {
            in.nextToken();
            field(field);
            in.skipChildren();
        }
        if (in.nextToken() != null) {
            throw new IOException("body: more than one JSON value");
        }
        return new PromptEstimate(shape == PromptShape.CHAT ? chatTokens() : promptTokens, maxOutput);
    }

    private long chatTokens() {
        return PromptEstimate.tokens(toolBytes + systemBytes + messageBytes) + pictures * PICTURE_TOKENS;
    }

    /** Whatever it leaves unread of the field's value is skipped by the caller. */
    private void field(String name) throws IOException {
        if (shape == PromptShape.CHAT) {
            chatField(name);
        } else if (shape.isPrompt(name)) {
            value.measure();
            promptTokens = prompt();
        }
        if (name.equals("sampling_params") && in.currentToken() == JsonToken.START_OBJECT) {
            sampling();
        } else {
            budget(shape.budgetRank(name));
        }
    }

    private long prompt() {
        if (shape == PromptShape.JSON && !value.onlyNumbers()) {
            return PromptEstimate.tokens(value.jsonBytes());
        }
        return shape == PromptShape.COMPLETION ? value.textTokens() + value.numbers() : value.numbers();
    }

    private void chatField(String name) throws IOException {
        switch (name) {
            case "tools" -> {
                value.measure();
                toolBytes = value.jsonBytes();
            }
            case "system" -> systemBytes = content();
            case "messages" -> {
                messageBytes = 0;
                pictures = 0;
                messages();
            }
            default -> {
                // No part of the prompt.
            }
        }
    }

    private void messages() throws IOException {
        if (in.currentToken() != JsonToken.START_ARRAY) {
            return;
        }
        while (in.nextToken() != JsonToken.END_ARRAY) {
            if (in.currentToken() == JsonToken.START_OBJECT) {
                message();
            }
            in.skipChildren();
        }
    }

    private void message() throws IOException {
        for (String field = in.nextFieldName(); field != null; field = in.nextFieldName()) {
            in.nextToken();
            if (field.equals("role")) {
                messageBytes += textBytes();
            } else if (field.equals("content")) {
                messageBytes += content();
            }
            in.skipChildren();
        }
    }

    /** Bytes of a text, or of the texts of a list of parts. */
    private long content() throws IOException {
        if (in.currentToken() != JsonToken.START_ARRAY) {
            return textBytes();
        }
        long bytes = 0;
        while (in.nextToken() != JsonToken.END_ARRAY) {
            if (in.currentToken() == JsonToken.START_OBJECT) {
                bytes += part();
            }
            in.skipChildren();
        }
        return bytes;
    }

    private long part() throws IOException {
        long bytes = 0;
        for (String field = in.nextFieldName(); field != null; field = in.nextFieldName()) {
            in.nextToken();
            if (field.equals("text")) {
                bytes += textBytes();
            } else if (field.equals("type") && isPicture()) {
                pictures++;
            }
            in.skipChildren();
        }
        return bytes;
    }

    private boolean isPicture() throws IOException {
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            return false;
        }
        String type = in.getText();
        return type.equals("image_url") || type.equals("input_image") || type.equals("image");
    }

    private long textBytes() throws IOException {
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            return 0;
        }
        in.getText(text.reset());
        return text.bytes();
    }

    private void sampling() throws IOException {
        for (String field = in.nextFieldName(); field != null; field = in.nextFieldName()) {
            in.nextToken();
            budget(shape.samplingRank(field));
            in.skipChildren();
        }
    }

    /** A negative, fractional or otherwise wrong one is passed over, and the next one looked for. */
    private void budget(int rank) throws IOException {
        Long wanted = rank < 0 || rank > maxOutputRank ? null : wholeNumber();
        if (wanted != null && wanted >= 0) {
            maxOutput = wanted;
            maxOutputRank = rank;
        }
    }

    private @Nullable Long wholeNumber() throws IOException {
        if (in.currentToken() != JsonToken.VALUE_NUMBER_INT || in.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
            return null;
        }
        return in.getLongValue();
    }
}
