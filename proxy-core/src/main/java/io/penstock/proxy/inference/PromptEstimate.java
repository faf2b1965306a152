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

    private static final int BYTES_PER_TOKEN = 4;

    /** Of a body that says nothing that can be understood: all of its bytes count as text, so that nobody gets by the count with one. */
    public static PromptEstimate ofBytes(long bytes) {
        return new PromptEstimate(tokens(bytes), NONE.maxOutputTokens);
    }

    /** Four bytes make one, and a shorter rest makes one too. */
    static long tokens(long bytes) {
        return (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
    }
}
