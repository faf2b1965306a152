package io.penstock.proxy.request;

import io.netty.util.AsciiString;
import java.util.List;

/**
 * Every header name that means something to the proxy beyond HTTP itself, in lower case. The two lists at the end are the only places that
 * say which names belong to the proxy (contract section 3).
 */
public final class HeaderNames {

    public static final AsciiString REQUEST_ID = AsciiString.cached("x-request-id");
    public static final AsciiString RETRY_AFTER = AsciiString.cached("retry-after");

    /** Requests that the admitting band can still take. */
    public static final AsciiString HEADROOM = AsciiString.cached("x-llm-d-flow-band-headroom-requests");
    /** The headroom under a short name, only with {@code compat.headroomShortName}. */
    public static final AsciiString HEADROOM_SHORT = AsciiString.cached("x-llm-d-flow-band-headroom");
    /** Whole milliseconds between submission and dispatch. */
    public static final AsciiString QUEUE_DURATION = AsciiString.cached("x-llm-d-flow-queue-duration-ms");
    /** Why the proxy refused. */
    public static final AsciiString DROPPED_REASON = AsciiString.cached("x-llm-d-request-dropped-reason");

    public static final AsciiString OBJECTIVE = AsciiString.cached("x-llm-d-inference-objective");
    public static final AsciiString OBJECTIVE_OLD = AsciiString.cached("x-gateway-inference-objective");
    public static final AsciiString FAIRNESS_ID = AsciiString.cached("x-llm-d-inference-fairness-id");
    public static final AsciiString FAIRNESS_ID_OLD = AsciiString.cached("x-gateway-inference-fairness-id");
    /** The client's own queue-wait budget, a Go duration. */
    public static final AsciiString TTL = AsciiString.cached("x-llm-d-inference-ttl");
    /** Milliseconds in which the client wants its first token. */
    public static final AsciiString TTFT_SLO = AsciiString.cached("x-llm-d-slo-ttft-ms");
    public static final AsciiString TTFT_SLO_OLD = AsciiString.cached("x-slo-ttft-ms");
    /** Milliseconds in which it wants each further one. */
    public static final AsciiString TPOT_SLO = AsciiString.cached("x-llm-d-slo-tpot-ms");
    public static final AsciiString TPOT_SLO_OLD = AsciiString.cached("x-slo-tpot-ms");

    /** Names the endpoint that prefills a request to the one that answers it, {@code host:port} (spec/routing section 5.1). */
    public static final AsciiString PREFILLER = AsciiString.cached("x-prefiller-host-port");

    public static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");
    public static final AsciiString FORWARDED_PROTO = AsciiString.cached("x-forwarded-proto");

    /** Response names that only the proxy sets: a backend's copy never reaches a client, nor a client's copy a backend. */
    public static final List<AsciiString> OWNED = List.of(HEADROOM, HEADROOM_SHORT, QUEUE_DURATION, DROPPED_REASON, RETRY_AFTER);

    /** Request names that a client may not send to a backend; an entry that ends with {@code *} stands for every name that begins so. */
    public static final List<String> STRIPPED = List.of("x-gateway-destination-endpoint*", PREFILLER.toString(), "x-encoder-hosts-ports",
            "x-data-parallel-host-port", "x-envoy-*");

    private HeaderNames() {
    }
}
