package io.penstock.proxy.inference;

/**
 * What a body says of a request's size. Immutable.
 *
 * @param promptTokens estimated tokens of its prompt, 0 or more
 * @param maxOutputTokens the most that the client lets the server produce, 0 or more; negative when it says nothing
 */
public record PromptEstimate(long promptTokens, long maxOutputTokens) {

    /** Nothing is known. */
    public static final PromptEstimate NONE = new PromptEstimate(0, -1);
}
