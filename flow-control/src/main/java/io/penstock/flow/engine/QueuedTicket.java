package io.penstock.flow.engine;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.Outcome;
import io.penstock.flow.RejectReason;
import io.penstock.flow.Ticket;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One submission, from arrival to its one outcome; also the task that tells the listener, and the node of the queues it waits in, so that
 * nothing else is allocated for it. Any thread may try to settle it:
 *
 * <pre>
 *            +-- DISPATCHED
 *            +-- CANCELLED
 *  WAITING --+-- EXPIRED
 *            +-- SHUT_DOWN
 *            +-- REFUSED      (was never admitted)
 * </pre>
 *
 * The thread whose compare-and-set leaves WAITING owns the release of the ticket's place and the references below.
 */
final class QueuedTicket implements Ticket, Runnable {

    static final int WAITING = 0;
    static final int DISPATCHED = 1;
    static final int CANCELLED = 2;
    static final int EXPIRED = 3;
    static final int SHUT_DOWN = 4;
    static final int REFUSED = 5;

    /** Where the drainer has it. */
    enum Spot {
        NOT_SEEN,
        LINKED,
        GONE
    }

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(QueuedTicket.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int state = WAITING;

    // Fixed at submission.
    final Dispatcher dispatcher;
    final Band band;
    final FlowKey requested;
    final FlowKey effective;
    final long bytes;
    /** Estimated tokens of the prompt. */
    final long tokens;
    final long submittedNanos;
    /** Its own queue-wait budget, which only ever shortens its band's; 0 for none. */
    final long ttlNanos;
    /** Taken back after a dispatch: waits at the head of the band and outside its limits. */
    final boolean returned;
    /** Holds a place in the band. */
    final boolean counted;

    // The winner's; dropped as soon as they are used, for the proxy and the queue may keep the ticket.
    private @Nullable AdmissionRequest request;
    private @Nullable AdmissionListener listener;
    private @Nullable Executor owner;

    // Written by the winner before it hands the ticket to the owner.
    private @Nullable Lease lease;
    private @Nullable RejectReason reason;
    private long waitedNanos;
    private int retryAfterSeconds;

    // The drainer's.
    Spot spot = Spot.NOT_SEEN;
    long arrival;
    long rank;
    @Nullable FlowQueue flow;
    @Nullable QueuedTicket before;
    @Nullable QueuedTicket after;
    /** Its place in the heap of its flow, while that is one. */
    int slot;
    @Nullable ExpiryWheel wheel;
    int bucket;
    @Nullable QueuedTicket wheelBefore;
    @Nullable QueuedTicket wheelAfter;

    private QueuedTicket(Dispatcher dispatcher, Band band, FlowKey requested, FlowKey effective, long bytes, long submittedNanos,
            long ttlNanos, boolean returned, boolean counted, AdmissionRequest request, AdmissionListener listener, Executor owner) {
        this.dispatcher = dispatcher;
        this.band = band;
        this.requested = requested;
        this.effective = effective;
        this.bytes = bytes;
        this.tokens = Math.max(0, request.promptTokens());
        this.submittedNanos = submittedNanos;
        this.ttlNanos = ttlNanos;
        this.returned = returned;
        this.counted = counted;
        this.request = request;
        this.listener = listener;
        this.owner = owner;
    }

    /**
     * A ticket for a request.
     *
     * @param counted whether a place was reserved for it
     */
    static QueuedTicket of(Dispatcher dispatcher, Band band, FlowKey requested, long bytes, long now, boolean counted,
            AdmissionRequest request, AdmissionListener listener, Executor owner) {
        return new QueuedTicket(dispatcher, band, requested, requested.withPriority(band.priority), bytes, now,
                Math.max(0, request.ttlNanos()), false, counted, request, listener, owner);
    }

    /** A ticket for the same request once more, with the flow, the submission time and the budget of the first. */
    QueuedTicket again(AdmissionRequest same, AdmissionListener again, Executor on) {
        return new QueuedTicket(dispatcher, band, requested, effective, bytes, submittedNanos, ttlNanos, true, false, same, again, on);
    }

    /** What waits; null as soon as it does not wait any more. */
    @Nullable AdmissionRequest request() {
        return request;
    }

    /** Who heard of its dispatch: for the winner, until it delivers. */
    @Nullable AdmissionListener listener() {
        return listener;
    }

    /** Where that is heard: for the winner, until it delivers. */
    @Nullable Executor owner() {
        return owner;
    }

    boolean waiting() {
        return state == WAITING;
    }

    @Override
    public boolean dispatched() {
        return state == DISPATCHED;
    }

    @Override
    public boolean cancel() {
        if (!settle(CANCELLED)) {
            return false;
        }
        request = null;
        listener = null;
        owner = null;
        dispatcher.ledger.tell(this, Outcome.EVICTED_CONTEXT_CANCELLED, age(dispatcher.ledger.clock.getAsLong()));
        dispatcher.offer(this);
        return true;
    }

    /** Settles as dispatched. False when another outcome was first: then the lease is still the caller's. */
    boolean dispatch(Lease charged, long now) {
        if (!settle(DISPATCHED)) {
            return false;
        }
        request = null;
        lease = charged;
        waitedNanos = age(now);
        return true;
    }

    /**
     * Settles as refused, expired or shut down.
     *
     * @param retryAfter seconds, or 0
     */
    boolean refuse(int as, RejectReason why, Outcome outcome, long now, int retryAfter) {
        if (!settle(as)) {
            return false;
        }
        request = null;
        reason = why;
        retryAfterSeconds = retryAfter;
        waitedNanos = age(now);
        dispatcher.ledger.tell(this, outcome, waitedNanos);
        return true;
    }

    /**
     * Hands the outcome to the owner; called once, by the winner. An owner that has stopped takes nothing: then a dispatched request is
     * SHUT_DOWN, and its charge is given back here, since nobody else will.
     */
    void deliver() {
        Executor to = Objects.requireNonNull(owner);
        owner = null;
        boolean dispatched = state == DISPATCHED;
        try {
            to.execute(this);
        } catch (Throwable stopped) {
            listener = null;
            if (dispatched) {
                state = SHUT_DOWN;
                dispatcher.ledger.tell(this, Outcome.EVICTED_OTHER, waitedNanos);
                closeLease();
            }
            dispatcher.ledger.events.failed("executor", stopped);
            return;
        }
        if (dispatched) {
            dispatcher.ledger.tell(this, Outcome.DISPATCHED, waitedNanos);
        }
    }

    @Override
    public void run() {
        AdmissionListener to = Objects.requireNonNull(listener);
        listener = null;
        Lease charged = lease;
        try {
            if (charged == null) {
                to.onRefused(Objects.requireNonNull(reason), retryAfterSeconds);
            } else {
                to.onDispatched(effective, charged, waitedNanos);
                lease = null;
            }
        } catch (Throwable broken) {
            closeLease();
            dispatcher.ledger.events.failed("listener", broken);
        }
    }

    private boolean settle(int to) {
        if (state != WAITING || !STATE.compareAndSet(this, WAITING, to)) {
            return false;
        }
        dispatcher.ledger.left(this);
        return true;
    }

    private void closeLease() {
        Lease charged = lease;
        lease = null;
        if (charged != null) {
            charged.close();
        }
    }

    private long age(long now) {
        return Math.max(0, now - submittedNanos);
    }
}
