package io.penstock.flow.engine;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.EndpointView;
import io.penstock.flow.Lease;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A dispatched request while eviction is enabled: the lease that its listener gets, which notes its own end, and the task that tells the
 * listener to stop. Known by itself and not by its request id, which clients choose: two requests with one id are two. The lease's methods
 * are for any thread; {@link #run} is the owner's, the rest the drainer's.
 */
final class Running implements Lease, Runnable {

    private static final VarHandle CLOSED;

    static {
        try {
            CLOSED = MethodHandles.lookup().findVarHandle(Running.class, "closed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The priority that was asked for: a negative one stays evictable, whichever band it fell back to. */
    final int priority;
    /** Its place in the order of dispatch. */
    final long order;

    /** Its place among the evictable ones; negative when it is not one of them. */
    int slot = -1;
    @Nullable Executor owner;
    @Nullable AdmissionListener listener;

    private final Reclaimer reclaimer;
    private final Lease lease;
    private volatile boolean closed;

    Running(Reclaimer reclaimer, Lease lease, int priority, long order) {
        this.reclaimer = reclaimer;
        this.lease = lease;
        this.priority = priority;
        this.order = order;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public EndpointView endpoint() {
        return lease.endpoint();
    }

    @Override
    public @Nullable EndpointView prefill() {
        return lease.prefill();
    }

    @Override
    public void firstByte() {
        lease.firstByte();
    }

    /** Noted first: giving back the charge signals the drainer, which then knows of the end already. */
    @Override
    public void close() {
        if (CLOSED.compareAndSet(this, false, true)) {
            try {
                reclaimer.ended(this);
            } finally {
                lease.close();
            }
        }
    }

    /** Tells the listener to stop, unless it has. */
    @Override
    public void run() {
        AdmissionListener to = listener;
        if (closed || to == null) {
            return;
        }
        try {
            to.onEvicted();
        } catch (Throwable broken) {
            reclaimer.failed("listener", broken);
        }
    }
}
