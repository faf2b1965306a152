package io.penstock.proxy.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What a simulated server reads from a generation request; everything else in the body is skipped. Confined to the thread that reads it,
 * not changed afterwards.
 */
final class SimRequest {

    private static final JsonFactory JSON = new JsonFactory();
    private static final String UNREADABLE = "Failed to read and parse request body, ";

    private final StringBuilder text = new StringBuilder();
    private String model = "";
    private @Nullable String lastUser;
    private int messages;
    private int promptTokens;
    private boolean prompt;
    private boolean stream;
    private boolean streamOptions;
    private boolean includeUsage;
    private boolean ignoreEos;
    private boolean remoteDecode;
    private boolean remotePrefill;
    private @Nullable Long maxTokens;
    private long minTokens;

    private SimRequest() {
    }

    String model() {
        return model;
    }

    /** Messages of a chat. */
    int messages() {
        return messages;
    }

    /** Whether a completion has its prompt. */
    boolean hasPrompt() {
        return prompt;
    }

    int promptTokens() {
        return promptTokens;
    }

    /** What echo mode answers: the last message of the user, or the prompt. */
    String echo() {
        return lastUser != null ? lastUser : text.toString();
    }

    boolean stream() {
        return stream;
    }

    boolean hasStreamOptions() {
        return streamOptions;
    }

    boolean includeUsage() {
        return includeUsage;
    }

    boolean ignoreEos() {
        return ignoreEos;
    }

    boolean remoteDecode() {
        return remoteDecode;
    }

    boolean remotePrefill() {
        return remotePrefill;
    }

    /** The client's limit of output tokens, or null. */
    @Nullable
    Long maxTokens() {
        return maxTokens;
    }

    long minTokens() {
        return minTokens;
    }

    static SimRequest parse(byte[] body) throws SimRefusal {
        SimRequest request = new SimRequest();
        try (JsonParser in = JSON.createParser(body)) {
            JsonToken first = in.nextToken();
            if (first == null) {
                throw new SimRefusal(400, UNREADABLE + "unexpected end of JSON input");
            }
            if (first != JsonToken.START_OBJECT) {
                throw new SimRefusal(400, UNREADABLE + "an object is expected");
            }
            request.fields(in);
            if (in.nextToken() != null) {
                throw new SimRefusal(400, UNREADABLE + "nothing is expected after the object");
            }
        } catch (JsonEOFException truncated) {
            throw new SimRefusal(400, UNREADABLE + "unexpected end of JSON input");
        } catch (JsonProcessingException malformed) {
            throw new SimRefusal(400, UNREADABLE + malformed.getOriginalMessage());
        } catch (IOException unreadable) {
            throw new SimRefusal(400, UNREADABLE + unreadable.getMessage());
        }
        return request;
    }

    private void fields(JsonParser in) throws IOException, SimRefusal {
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            JsonToken value = in.nextToken();
            if (value == JsonToken.VALUE_NULL) {
                continue;
            }
            switch (name) {
                case "model" -> model = string(in, name);
                case "stream" -> stream = bool(in, name);
                case "ignore_eos" -> ignoreEos = bool(in, name);
                case "max_tokens", "max_completion_tokens" -> maxTokens = whole(in, name);
                case "min_tokens" -> minTokens = whole(in, name);
                case "stream_options" -> options(in);
                case "kv_transfer_params" -> transfer(in);
                case "messages" -> messages(in);
                case "prompt" -> prompt(in);
                default -> in.skipChildren();
            }
        }
    }

    private void options(JsonParser in) throws IOException, SimRefusal {
        streamOptions = true;
        expect(in, JsonToken.START_OBJECT, "stream_options", "an object");
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            JsonToken value = in.nextToken();
            if (name.equals("include_usage") && value != JsonToken.VALUE_NULL) {
                includeUsage = bool(in, "stream_options.include_usage");
            } else {
                in.skipChildren();
            }
        }
    }

    private void transfer(JsonParser in) throws IOException, SimRefusal {
        expect(in, JsonToken.START_OBJECT, "kv_transfer_params", "an object");
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            boolean yes = in.nextToken() == JsonToken.VALUE_TRUE;
            if (name.equals("do_remote_decode")) {
                remoteDecode = yes;
            } else if (name.equals("do_remote_prefill")) {
                remotePrefill = yes;
            }
            in.skipChildren();
        }
    }

    private void messages(JsonParser in) throws IOException, SimRefusal {
        expect(in, JsonToken.START_ARRAY, "messages", "an array");
        for (JsonToken item = in.nextToken(); item != JsonToken.END_ARRAY; item = in.nextToken()) {
            expect(in, JsonToken.START_OBJECT, "messages", "an array of objects");
            messages++;
            String role = "";
            String content = "";
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                in.nextToken();
                if (name.equals("role")) {
                    role = string(in, "messages.role");
                } else if (name.equals("content")) {
                    content = content(in);
                } else {
                    in.skipChildren();
                }
            }
            promptTokens += SimTokens.count(content) + SimTokens.PER_MESSAGE;
            if (role.equals("user")) {
                lastUser = content;
            }
        }
    }

    /** A message's content: text, or parts of which those with a text count. */
    private static String content(JsonParser in) throws IOException, SimRefusal {
        if (in.currentToken() == JsonToken.VALUE_NULL) {
            return "";
        }
        if (in.currentToken() == JsonToken.VALUE_STRING) {
            return in.getText();
        }
        expect(in, JsonToken.START_ARRAY, "messages.content", "a string or an array of parts");
        StringBuilder parts = new StringBuilder();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            expect(in, JsonToken.START_OBJECT, "messages.content", "an array of parts");
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                boolean isText = in.currentName().equals("text");
                if (in.nextToken() == JsonToken.VALUE_STRING && isText) {
                    parts.append(in.getText());
                }
                in.skipChildren();
            }
        }
        return parts.toString();
    }

    /** A prompt: text, token numbers, or several of either. */
    private void prompt(JsonParser in) throws IOException, SimRefusal {
        prompt = true;
        switch (in.currentToken()) {
            case VALUE_STRING -> {
                promptTokens += SimTokens.count(in.getText());
                text.append(in.getText());
            }
            case VALUE_NUMBER_INT -> promptTokens++;
            case START_ARRAY -> {
                while (in.nextToken() != JsonToken.END_ARRAY) {
                    prompt(in);
                }
            }
            default -> throw invalid("prompt", "a string or an array");
        }
    }

    private static String string(JsonParser in, String name) throws IOException, SimRefusal {
        expect(in, JsonToken.VALUE_STRING, name, "a string");
        return in.getText();
    }

    private static boolean bool(JsonParser in, String name) throws SimRefusal {
        if (!in.currentToken().isBoolean()) {
            throw invalid(name, "true or false");
        }
        return in.currentToken() == JsonToken.VALUE_TRUE;
    }

    private static long whole(JsonParser in, String name) throws IOException, SimRefusal {
        expect(in, JsonToken.VALUE_NUMBER_INT, name, "a whole number");
        return in.getLongValue();
    }

    private static void expect(JsonParser in, JsonToken token, String name, String expected) throws SimRefusal {
        if (in.currentToken() != token) {
            throw invalid(name, expected);
        }
    }

    private static SimRefusal invalid(String name, String expected) {
        return new SimRefusal(400, name + ": wrong kind of value (expected: " + expected + ')');
    }
}
