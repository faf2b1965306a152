package io.penstock.bench.headroom;

import io.netty.util.AsciiString;
import io.penstock.proxy.request.HeaderNames;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a dispatcher reads from one response head. Immutable.
 *
 * @param outcome how the attempt ended
 * @param headroom requests that the band can still take, or {@link #NONE} when the head says nothing
 * @param queueMillis milliseconds that it waited in the band, or {@link #NONE}
 * @param retryAfterSeconds seconds until the band is expected to have room, or {@link #NONE}
 */
record Answer(Outcome outcome, int headroom, int queueMillis, int retryAfterSeconds) {

    /** Absence is no signal, and is not 0 (spec/flow-control section 14). */
    static final int NONE = -1;

    /** An end without a head. */
    static Answer without(Outcome outcome) {
        return new Answer(outcome, NONE, NONE, NONE);
    }

    /**
     * Reads a head.
     *
     * @param headers a header's value by name
     * @param headroomName the header that is taken for the headroom; null to look at none
     */
    static Answer read(int status, Function<CharSequence, @Nullable CharSequence> headers, @Nullable AsciiString headroomName) {
        return new Answer(Outcome.of(status, headers.apply(HeaderNames.DROPPED_REASON)),
                headroomName == null ? NONE : number(headers.apply(headroomName)),
                number(headers.apply(HeaderNames.QUEUE_DURATION)), number(headers.apply(HeaderNames.RETRY_AFTER)));
    }

    /** A bare decimal number of up to nine digits; anything else, a negative one too, is no signal. */
    private static int number(@Nullable CharSequence text) {
        if (text == null || text.length() == 0 || text.length() > 9) {
            return NONE;
        }
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return NONE;
            }
            value = value * 10 + digit - '0';
        }
        return value;
    }
}
