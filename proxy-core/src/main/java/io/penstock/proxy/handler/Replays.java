package io.penstock.proxy.handler;

import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamFault;
import java.util.concurrent.TimeUnit;

/**
 * Whether a failed request may go out again (design: failover): never once a byte of a response came in, never when a server may have done
 * the work. Where no byte of the request was sent at all, or the server says that it did nothing with it, it may try every endpoint;
 * otherwise once.
 */
final class Replays {

    private static final int MAX_CONNECT_FAILURES = 8;

    private Replays() {
    }

    /**
     * How long after the last byte of the request a used connection's end can still be taken for that of an idle one: the server's FIN was
     * on its way when the request was written. Later the server has read the request and may have worked on it.
     */
    private static final long IDLE_RACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    static boolean allows(RequestContext context, Endpoint failed, UpstreamFault fault, long now) {
        if (fault.responseStarted() || !context.body().replayable()) {
            return false;
        }
        return switch (fault.kind()) {
            case CONNECT, OVERFLOW, REFUSED -> !context.excludes(failed) && context.excludedCount() < MAX_CONNECT_FAILURES;
            case CLOSED -> context.replays() == 0 && (!fault.requestSent() || lostIdleRace(context, fault, now));
            case MALFORMED -> false;
        };
    }

    /** Whether the replay goes to the same endpoint, still charged, on a new connection: the fault says nothing against it. */
    static boolean sameEndpoint(UpstreamFault fault) {
        return fault.kind() == UpstreamFault.Kind.CLOSED && fault.reused();
    }

    private static boolean lostIdleRace(RequestContext context, UpstreamFault fault, long now) {
        return fault.reused() && now - context.times().progress() <= IDLE_RACE_NANOS;
    }

    /** Whether the fault says something about the endpoint's health: not when an idle connection was closed as it was used. */
    static boolean blamesEndpoint(UpstreamFault fault) {
        return switch (fault.kind()) {
            case CONNECT -> true;
            case CLOSED -> !fault.responseStarted() && !fault.reused();
            case MALFORMED, OVERFLOW, REFUSED -> false;
        };
    }
}
