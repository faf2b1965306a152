package io.penstock.proxy.request;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.flow.FlowKey;
import io.penstock.flow.config.GoDuration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request's identity from its headers (spec/flow-control section 2, 14). The table of objectives may be replaced at any time; one
 * request reads it once. Any thread.
 */
public final class FlowResolver {

    /** Characters of a fairness id that count: flows are remembered for minutes, so a client must not decide how much that costs. */
    static final int MAX_FAIRNESS_ID = 256;

    /** What a client has that states no latency objective, or none that can be read. */
    public static final long NO_OBJECTIVE = -1;

    private static final long NANOS_A_MILLI = 1_000_000;
    private static final FlowKey DEFAULT = new FlowKey(FlowKey.DEFAULT_FAIRNESS_ID, 0);

    private final Supplier<Map<String, Integer>> objectives;
    private final Supplier<List<AsciiString>> sessions;
    private final Runnable onBadTtl;

    /**
     * @param objectives priority by objective name
     * @param sessions headers that name a session, which stands for a fairness id where there is none; empty for none
     * @param onBadTtl called when a client's budget cannot be read, for a counter
     */
    public FlowResolver(Supplier<Map<String, Integer>> objectives, Supplier<List<AsciiString>> sessions, Runnable onBadTtl) {
        this.objectives = objectives;
        this.sessions = sessions;
        this.onBadTtl = onBadTtl;
    }

    /** The flow that the client asks for; never fails: what is missing or unknown is the default. */
    public FlowKey flowKey(Http2Headers head) {
        CharSequence objective = lastOf(head, HeaderNames.OBJECTIVE, HeaderNames.OBJECTIVE_OLD);
        CharSequence fairness = fairnessId(head);
        int priority = objective == null ? 0 : objectives.get().getOrDefault(HeaderText.of(objective, Integer.MAX_VALUE), 0);
        if (fairness == null) {
            return DEFAULT.withPriority(priority);
        }
        return new FlowKey(HeaderText.of(fairness, MAX_FAIRNESS_ID), priority);
    }

    private @Nullable CharSequence fairnessId(Http2Headers head) {
        CharSequence given = lastOf(head, HeaderNames.FAIRNESS_ID, HeaderNames.FAIRNESS_ID_OLD);
        if (given != null && !given.isEmpty()) {
            return given;
        }
        List<AsciiString> names = sessions.get();
        for (int i = 0; i < names.size(); i++) {
            CharSequence session = lastOf(head, names.get(i), null);
            if (session != null && !session.isEmpty()) {
                return session;
            }
        }
        return null;
    }

    /** The client's own queue-wait budget in nanoseconds, 0 where it sends none or one that means nothing. */
    public long ttlNanos(Http2Headers head) {
        CharSequence value = lastOf(head, HeaderNames.TTL, null);
        if (value == null) {
            return 0;
        }
        try {
            long nanos = GoDuration.parseNanos(value.toString());
            if (nanos > 0) {
                return nanos;
            }
        } catch (IllegalArgumentException ignored) {
            // Counted below like a budget of nothing: a client's mistake must not fail its request (spec/flow-control section 14).
        }
        onBadTtl.run();
        return 0;
    }

    /** The client's objective for its first token in nanoseconds, or {@link #NO_OBJECTIVE} (spec/flow-control section 4.3). */
    public long ttftSloNanos(Http2Headers head) {
        return milliseconds(lastOf(head, HeaderNames.TTFT_SLO, HeaderNames.TTFT_SLO_OLD));
    }

    /** The same for each further token; read only where an admitter asks. */
    public static long tpotSloNanos(Http2Headers head) {
        return milliseconds(lastOf(head, HeaderNames.TPOT_SLO, HeaderNames.TPOT_SLO_OLD));
    }

    /** Whole milliseconds as nanoseconds; zero is an objective, what is negative, too large or no number is none. */
    private static long milliseconds(@Nullable CharSequence value) {
        if (value == null) {
            return NO_OBJECTIVE;
        }
        String digits = value.toString().trim();
        if (!digits.chars().allMatch(c -> c >= '0' && c <= '9' || c == '+')) {
            return NO_OBJECTIVE;
        }
        try {
            long millis = Long.parseLong(digits);
            return millis > Long.MAX_VALUE / NANOS_A_MILLI ? NO_OBJECTIVE : millis * NANOS_A_MILLI;
        } catch (NumberFormatException e) {
            return NO_OBJECTIVE;
        }
    }

    /** The new name wins, also when it is empty; a name that repeats counts with its last value, and only that one goes on. */
    private static @Nullable CharSequence lastOf(Http2Headers head, AsciiString name, @Nullable AsciiString alias) {
        CharSequence first = head.get(name);
        if (first == null) {
            return alias == null ? null : lastOf(head, alias, null);
        }
        List<CharSequence> all = head.getAll(name);
        if (all.size() == 1) {
            return first;
        }
        CharSequence last = all.get(all.size() - 1);
        head.set(name, last);
        return last;
    }
}
