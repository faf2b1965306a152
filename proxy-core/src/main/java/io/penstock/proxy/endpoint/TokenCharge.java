package io.penstock.proxy.endpoint;

import io.penstock.flow.AdmissionRequest;

/**
 * What a request costs an endpoint in tokens (spec/flow-control section 5.3; parameters of {@code inflight-load-producer}). Immutable.
 *
 * @param counted whether anything counts tokens; if not, every request costs 0
 * @param withOutput whether the answer's estimated tokens are charged too; then nothing is given back before the answer's end
 * @param outputRatio estimated tokens of an answer for each token of its prompt, 0 or more
 * @param maxOutput the most that is charged for an answer, 0 or more; negative for no limit
 */
public record TokenCharge(boolean counted, boolean withOutput, double outputRatio, long maxOutput) {

    /** Nothing counts tokens. */
    public static final TokenCharge NONE = new TokenCharge(false, false, 0, -1);

    /**
     * The most that one request is charged with: far beyond any model's context, and small enough that no sum of the requests that a
     * process can hold wraps around and opens the gate.
     */
    static final long MOST = 1L << 38;

    /** Tokens to charge, 0..{@value #MOST}. */
    long of(AdmissionRequest request) {
        if (!counted) {
            return 0;
        }
        long prompt = Math.min(MOST, Math.max(0, request.promptTokens()));
        return withOutput ? Math.min(MOST, prompt + output(prompt, request.maxOutputTokens())) : prompt;
    }

    private long output(long prompt, long clientMax) {
        long output = Math.min(MOST, Math.round(prompt * outputRatio));
        if (clientMax >= 0) {
            output = Math.min(output, clientMax);
        }
        return maxOutput >= 0 ? Math.min(output, maxOutput) : output;
    }
}
