package io.penstock.flow.engine;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;
import io.penstock.flow.Ticket;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One submission while flow control is switched off: it never waits for more than the placement of those before it. Settles once, by one
 * compare-and-set, from any thread; then it is the task that tells the listener.
 */
final class PassTicket implements Ticket, Runnable {

    private static final VarHandle SETTLED;

    static {
        try {
            SETTLED = MethodHandles.lookup().findVarHandle(PassTicket.class, "settled", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final AdmissionRequest request;
    /** Whether it is refused when the pool is saturated. */
    final boolean sheddable;

    private final AdmissionListener listener;
    private final Executor owner;
    private final FlowEvents events;
    private volatile boolean settled;
    private @Nullable Lease lease;
    private @Nullable RejectReason reason;

    PassTicket(AdmissionRequest request, boolean sheddable, AdmissionListener listener, Executor owner, FlowEvents events) {
        this.request = request;
        this.sheddable = sheddable;
        this.listener = listener;
        this.owner = owner;
        this.events = events;
    }

    @Override
    public boolean cancel() {
        return settle();
    }

    @Override
    public boolean dispatched() {
        return lease != null;
    }

    boolean waiting() {
        return !settled;
    }

    void pass(Lease charged) {
        if (settle()) {
            lease = charged;
            deliver();
        } else {
            charged.close();
        }
    }

    void refuse(RejectReason why) {
        if (settle()) {
            reason = why;
            deliver();
        }
    }

    @Override
    public void run() {
        Lease charged = lease;
        lease = null;
        RejectReason why = reason;
        try {
            if (charged != null) {
                listener.onPassed(charged);
            } else if (why != null) {
                listener.onRefused(why, 0);
            }
        } catch (Throwable broken) {
            close(charged);
            events.failed("listener", broken);
        }
    }

    private void deliver() {
        try {
            owner.execute(this);
        } catch (Throwable stopped) {
            close(lease);
            events.failed("executor", stopped);
        }
    }

    private boolean settle() {
        return SETTLED.compareAndSet(this, false, true);
    }

    private static void close(@Nullable Lease charged) {
        if (charged != null) {
            charged.close();
        }
    }
}
