package io.penstock.proxy.accesslog;

import io.penstock.flow.FlowKey;
import io.penstock.proxy.request.EndCause;
import org.jspecify.annotations.Nullable;

/**
 * One finished request. Immutable, with immutable parts: it goes from an event loop to the writer's thread. It has no place for bodies,
 * for credentials, or for header values but the request id.
 *
 * @param startMillis when the request's head was there, milliseconds since 1970
 * @param method as the client sent it
 * @param path as the client sent it; the query is not written, since keys and prompts travel in it
 * @param protocol {@code HTTP/2} or {@code HTTP/1.1}
 * @param status as sent, or 0 when no response head was
 * @param cause why it ended
 * @param bytesReceived request body bytes
 * @param bytesSent response body bytes
 * @param durationNanos from the head to the end
 * @param firstByteNanos from the head to the first byte of the response, or -1
 * @param queueNanos from submission to the outcome, or -1 when it was in no queue
 * @param queueOutcome what flow control said, or null when it was not asked
 * @param retryAfterSeconds what the client was told with a refusal, 0 for nothing
 * @param replays how often it was sent again after a connection or its endpoint had failed
 * @param requested the flow asked for, or null when flow control was not asked
 * @param effective the flow that admitted it, or null when none did
 * @param endpoint where it went last, or null
 * @param requestId the client's or a generated one
 * @param dropReason value of the dropped-reason header, or null
 * @param peer the client's address without its port
 */
public record AccessRecord(long startMillis, CharSequence method, CharSequence path, String protocol, int status, EndCause cause,
        long bytesReceived, long bytesSent, long durationNanos, long firstByteNanos, long queueNanos, @Nullable String queueOutcome,
        int retryAfterSeconds, int replays, @Nullable FlowKey requested, @Nullable FlowKey effective, @Nullable String endpoint,
        CharSequence requestId, @Nullable String dropReason, String peer) {

    static final int MAX_METHOD = 32;
    static final int MAX_PATH = 1024;
    static final int MAX_ID = 256;

    /** Keeps no long value alive in the queue: what is longer than what is written is cut here, on the caller's thread. */
    public AccessRecord {
        method = cut(method, MAX_METHOD);
        path = cut(path, MAX_PATH);
        requestId = cut(requestId, MAX_ID);
    }

    static CharSequence cut(CharSequence value, int max) {
        return value.length() <= max ? value : value.subSequence(0, max).toString();
    }
}
