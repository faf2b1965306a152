package io.penstock.proxy.config;

/**
 * What requests in flight are charged with (spec/flow-control section 5.3). Immutable.
 *
 * @param countsTokens whether any detector or policy in use counts tokens; if not, no body is read
 * @param addEstimatedOutputTokens whether the answer's estimated tokens are charged too
 * @param outputRatio estimated tokens of an answer for each token of its prompt, 0 or more
 * @param maxEstimatedOutputTokens the most that is charged for an answer, 0 or more; -1 for no limit
 */
public record LoadAccounting(boolean countsTokens, boolean addEstimatedOutputTokens, double outputRatio, long maxEstimatedOutputTokens) {

    static final LoadAccounting DEFAULTS = new LoadAccounting(false, false, 1.5, -1);

    LoadAccounting counting(boolean tokens) {
        return new LoadAccounting(tokens, addEstimatedOutputTokens, outputRatio, maxEstimatedOutputTokens);
    }
}
