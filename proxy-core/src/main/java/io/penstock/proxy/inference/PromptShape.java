package io.penstock.proxy.inference;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the prompt stands in a request's body and which fields bound the answer, by the end of its path (spec/routing section 1.5). The
 * first field of {@code budgets} that holds a whole number counts; {@code samplingBudgets} are those inside {@code sampling_params}.
 */
public enum PromptShape {

    /** OpenAI's chat and Anthropic's messages: the tools as JSON, then role and text of each message. */
    CHAT(List.of(), List.of("max_completion_tokens", "max_tokens"), List.of(), "/chat/completions", "/chat/completions/render", "/messages",
            "/messages/count_tokens"),
    /** Text, several texts, or token ids. */
    COMPLETION(List.of("prompt"), List.of("max_tokens"), List.of(), "/completions", "/completions/render"),
    /** Whatever it is, as JSON; token ids count as themselves. */
    JSON(List.of("input", "items"), List.of("max_output_tokens"), List.of(), "/responses", "/embeddings", "/conversations"),
    /** vLLM's and SGLang's own: token ids. */
    TOKEN_IDS(List.of("token_ids", "input_ids"), List.of(), List.of("max_tokens", "max_new_tokens"), "/inference/v1/generate", "/generate");

    private final List<String> prompts;
    private final List<String> budgets;
    private final List<String> samplingBudgets;
    private final List<String> paths;

    PromptShape(List<String> prompts, List<String> budgets, List<String> samplingBudgets, String... paths) {
        this.prompts = prompts;
        this.budgets = budgets;
        this.samplingBudgets = samplingBudgets;
        this.paths = List.of(paths);
    }

    /**
     * The shape of the bodies that go to a path, or null when nothing is known of them: images, scores and whatever else.
     *
     * @param path with or without a query
     */
    public static @Nullable PromptShape of(CharSequence path) {
        String text = path.toString();
        int query = text.indexOf('?');
        String plain = query < 0 ? text : text.substring(0, query);
        // CHAT stands first: its paths end like those of COMPLETION.
        for (PromptShape shape : values()) {
            for (String end : shape.paths) {
                if (plain.endsWith(end)) {
                    return shape;
                }
            }
        }
        return null;
    }

    boolean isPrompt(String field) {
        return prompts.contains(field);
    }

    /** The field's rank among those that bound the answer, 0 for the strongest; negative when it is none. */
    int budgetRank(String field) {
        return budgets.indexOf(field);
    }

    /** The same inside {@code sampling_params}. */
    int samplingRank(String field) {
        return samplingBudgets.indexOf(field);
    }
}
