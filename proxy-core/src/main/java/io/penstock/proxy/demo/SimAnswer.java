package io.penstock.proxy.demo;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The text of one simulated answer: what it says, and its JSON in the field order of the recordings. Immutable.
 *
 * @param chat whether it answers a chat
 * @param id the answer's id
 * @param model the name that the client asked for
 * @param created seconds since 1970
 * @param promptTokens tokens of the prompt
 * @param tokens what it says, at least one
 * @param finishReason {@code stop}, {@code length} or {@code remote_decode}
 * @param transfer JSON of {@code kv_transfer_params}, empty for none
 */
record SimAnswer(boolean chat, String id, String model, long created, int promptTokens, List<String> tokens, String finishReason,
        String transfer) {

    static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

    /** The answer in one piece. */
    String whole() {
        String text = SimJson.quote(String.join("", tokens));
        String said = chat ? "\"message\":{\"role\":\"assistant\",\"content\":" + text + '}' : "\"text\":" + text;
        return "{\"id\":" + SimJson.quote(id) + ",\"model\":" + SimJson.quote(model) + ",\"object\":\""
                + (chat ? "chat.completion" : "text_completion") + "\",\"created\":" + created + ",\"usage\":" + usage()
                + ",\"choices\":[{\"index\":0,\"finish_reason\":\"" + finishReason + "\"," + said + "}]"
                + (transfer.isEmpty() ? "" : ",\"kv_transfer_params\":" + transfer) + '}';
    }

    /** What every event but the usage begins with, up to its finish reason. */
    private String begin() {
        return event("null") + "[{\"index\":0,\"finish_reason\":";
    }

    private String event(String usage) {
        return "{\"id\":" + SimJson.quote(id) + ",\"model\":" + SimJson.quote(model) + ",\"object\":\""
                + (chat ? "chat.completion.chunk" : "text_completion") + "\",\"created\":" + created + ",\"usage\":" + usage
                + ",\"choices\":";
    }

    byte[] beforeToken() {
        return utf8(begin() + (chat ? "null,\"delta\":{\"content\":" : "null,\"text\":"));
    }

    byte[] token(int index) {
        return utf8(SimJson.quote(tokens.get(index)));
    }

    byte[] afterToken() {
        return utf8(chat ? "}}]}" : "}]}");
    }

    /** The first event of a chat. */
    byte[] roleEvent() {
        return utf8(begin() + "null,\"delta\":{\"role\":\"assistant\"}}]}");
    }

    /** The last event with a choice. */
    byte[] finishEvent() {
        return utf8(begin() + '"' + finishReason + "\"," + (chat ? "\"delta\":{}" : "\"text\":\"\"") + "}]"
                + (transfer.isEmpty() ? "" : ",\"kv_transfer_params\":" + transfer) + '}');
    }

    byte[] usageEvent() {
        return utf8(event(usage()) + "[]}");
    }

    private String usage() {
        return "{\"prompt_tokens\":" + promptTokens + ",\"completion_tokens\":" + tokens.size() + ",\"total_tokens\":"
                + (promptTokens + tokens.size()) + ",\"prompt_tokens_details\":{\"cached_tokens\":0}}";
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
