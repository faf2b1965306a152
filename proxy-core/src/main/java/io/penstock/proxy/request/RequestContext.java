package io.penstock.proxy.request;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;
import io.penstock.flow.Ticket;
import io.penstock.proxy.admitter.AdmittedRequest;
import io.penstock.proxy.endpoint.Endpoint;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything the proxy knows of one request. Owned by the client connection's event loop from first byte to last; the drainer reads only
 * the {@link AdmissionRequest} part, which does not change while a ticket waits.
 */
public final class RequestContext implements AdmittedRequest, AdmissionListener {

    private static final FlowKey DEFAULT_FLOW = new FlowKey(FlowKey.DEFAULT_FAIRNESS_ID, 0);

    private final DownstreamExchange client;
    private final Http2Headers head;
    private final RequestBody body = new RequestBody();
    private final RequestTimes times = new RequestTimes();
    private Phase phase = Phase.RECEIVED;
    private AsciiString requestId = AsciiString.EMPTY_STRING;

    // Read by the drainer; fixed before each submission.
    private FlowKey flowKey = DEFAULT_FLOW;
    private long byteSize;
    private long ttlNanos;
    private long ttftSloNanos = FlowResolver.NO_OBJECTIVE;
    private long promptTokens;
    private long maxOutputTokens = -1;
    private @Nullable List<EndpointView> excluded;

    // Admission.
    private @Nullable AdmissionOutcome outcome;
    private @Nullable Ticket ticket;
    private @Nullable Lease lease;
    private @Nullable FlowKey effective;
    private long waitedNanos;
    private @Nullable RejectReason dropReason;
    private int retryAfterSeconds;

    // Forwarding.
    private @Nullable Endpoint endpoint;
    private @Nullable UpstreamExchange upstream;
    private int replays;
    private int owedCredit;
    private int status;
    private long bytesSent;
    private int timerSlot = -1;

    public RequestContext(DownstreamExchange client, Http2Headers head) {
        this.client = client;
        this.head = head;
    }

    public DownstreamExchange client() {
        return client;
    }

    /** The request's head with its pseudo headers, as it goes on to the backend. */
    public Http2Headers head() {
        return head;
    }

    public RequestBody body() {
        return body;
    }

    public RequestTimes times() {
        return times;
    }

    public Phase phase() {
        return phase;
    }

    /** The one place where a request's phase changes. */
    public void moveTo(Phase to) {
        if (!phase.canMoveTo(to)) {
            throw new IllegalStateException(requestId + ": " + phase + " -> " + to + " (expected: an arrow of the diagram in Phase)");
        }
        phase = to;
    }

    /** The client's {@code x-request-id}, or a generated one; empty before the head was checked. */
    public AsciiString requestId() {
        return requestId;
    }

    public void requestId(AsciiString id) {
        requestId = id;
    }

    @Override
    public FlowKey flowKey() {
        return flowKey;
    }

    @Override
    public long byteSize() {
        return byteSize;
    }

    @Override
    public long ttlNanos() {
        return ttlNanos;
    }

    @Override
    public long receivedNanos() {
        return times.received();
    }

    @Override
    public long ttftSloNanos() {
        return ttftSloNanos;
    }

    @Override
    public long tpotSloNanos() {
        return FlowResolver.tpotSloNanos(head);
    }

    /** Fixes the client's objective for its first token, {@link FlowResolver#NO_OBJECTIVE} for none; before the first submission. */
    public void ttftSloNanos(long objective) {
        ttftSloNanos = objective;
    }

    /** Fixes what flow control needs; before the first submission. */
    public void identify(FlowKey key, long bytes, long ttl) {
        flowKey = key;
        byteSize = bytes;
        ttlNanos = ttl;
    }

    @Override
    public long promptTokens() {
        return promptTokens;
    }

    @Override
    public long maxOutputTokens() {
        return maxOutputTokens;
    }

    /** Fixes what its body says of a request; before the first submission. Tokens as in {@link AdmissionRequest}. */
    public void measure(long bytes, long prompt, long maxOutput) {
        byteSize = bytes;
        promptTokens = prompt;
        maxOutputTokens = maxOutput;
    }

    @Override
    public boolean excludes(EndpointView candidate) {
        return excluded != null && excluded.contains(candidate);
    }

    /** The endpoint has failed this request; a replay goes elsewhere where it can. */
    public void exclude(EndpointView failed) {
        if (excluded == null) {
            excluded = new ArrayList<>(2);
        }
        excluded.add(failed);
    }

    /** Endpoints that have failed this request. */
    public int excludedCount() {
        return excluded == null ? 0 : excluded.size();
    }

    /** Begins a wait in flow control. */
    public void awaiting(AdmissionOutcome receiver) {
        outcome = receiver;
    }

    public @Nullable Ticket ticket() {
        return ticket;
    }

    public void ticket(Ticket submitted) {
        ticket = submitted;
    }

    @Override
    public void onDispatched(FlowKey key, Lease charged, long waited) {
        receiver().dispatched(this, key, charged, waited);
    }

    @Override
    public void onPassed(Lease charged) {
        receiver().passed(this, charged);
    }

    @Override
    public void onRefused(RejectReason reason, int seconds) {
        retryAfterSeconds = seconds;
        receiver().refused(this, reason);
    }

    @Override
    public void onEvicted() {
        receiver().evicted(this);
    }

    /** What flow control said with a refusal, 1 to 30 seconds; 0 for nothing. */
    public int retryAfterSeconds() {
        return retryAfterSeconds;
    }

    private AdmissionOutcome receiver() {
        if (outcome == null) {
            throw new IllegalStateException(requestId + ": an outcome without a submission");
        }
        return outcome;
    }

    /** The flow that admitted the request, or null: not admitted through flow control. */
    public @Nullable FlowKey effective() {
        return effective;
    }

    /** Stores what admission said. A replay keeps the first answer, so that the band that admitted the request never changes (seed 1). */
    public void admitted(FlowKey key, long waited) {
        if (effective == null) {
            effective = key;
            waitedNanos = waited;
        }
    }

    /** From submission to the first dispatch. */
    public long waitedNanos() {
        return waitedNanos;
    }

    public @Nullable RejectReason dropReason() {
        return dropReason;
    }

    public void dropReason(RejectReason reason) {
        dropReason = reason;
    }

    /** Puts the request on an endpoint; the lease is null for a request that no detector counts. */
    public void assign(Endpoint chosen, @Nullable Lease charged) {
        endpoint = chosen;
        lease = charged;
    }

    public @Nullable Endpoint endpoint() {
        return endpoint;
    }

    /** The response's body has begun: what was charged for the prompt alone is given back. */
    public void responseBegun() {
        Lease open = lease;
        if (open != null) {
            open.firstByte();
        }
    }

    /** Hands the charge over, if there is one: whoever takes it gives it back. */
    public @Nullable Lease takeLease() {
        Lease open = lease;
        lease = null;
        return open;
    }

    /** Gives the charge back, once. */
    public void closeLease() {
        Lease open = takeLease();
        if (open != null) {
            open.close();
        }
    }

    public @Nullable UpstreamExchange upstream() {
        return upstream;
    }

    public void upstream(@Nullable UpstreamExchange exchange) {
        upstream = exchange;
    }

    /** How often the request has been sent again. */
    public int replays() {
        return replays;
    }

    public void countReplay() {
        replays++;
    }

    /** Whether the next attempt needs a connection that has never been used, because a used one has just died. */
    public boolean wantsFreshConnection() {
        return replays > 0;
    }

    /** Credit that the client gets once the backend takes bytes again. */
    public void oweCredit(int bytes) {
        owedCredit += bytes;
    }

    /** Takes the owed credit. */
    public int takeOwedCredit() {
        int owed = owedCredit;
        owedCredit = 0;
        return owed;
    }

    /** Status of the final response head, 0 before it. */
    public int status() {
        return status;
    }

    public void status(int sent) {
        status = sent;
    }

    /** Response body bytes handed to the client. */
    public long bytesSent() {
        return bytesSent;
    }

    public void countSent(int bytes) {
        bytesSent += bytes;
    }

    /** Where the timers keep the request; -1 while they do not. */
    public int timerSlot() {
        return timerSlot;
    }

    public void timerSlot(int slot) {
        timerSlot = slot;
    }
}
