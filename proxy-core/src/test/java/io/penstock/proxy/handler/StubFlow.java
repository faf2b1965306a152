package io.penstock.proxy.handler;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.BandView;
import io.penstock.flow.CapacityReader;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;
import io.penstock.flow.SaturationView;
import io.penstock.flow.Ticket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/** Flow control that does what the test says, when it says so. */
final class StubFlow implements FlowController {

    final List<Submission> submissions = new ArrayList<>();

    /** One submission; the test settles it. */
    static final class Submission implements Ticket {
        final AdmissionRequest request;
        final Ticket earlier;
        private final AdmissionListener listener;
        boolean cancelled;
        boolean settled;

        Submission(AdmissionRequest request, AdmissionListener listener, Ticket earlier) {
            this.request = request;
            this.listener = listener;
            this.earlier = earlier;
        }

        void dispatch(FlowKey effective, Lease lease, long waitedNanos) {
            settled = true;
            listener.onDispatched(effective, lease, waitedNanos);
        }

        void pass(Lease lease) {
            settled = true;
            listener.onPassed(lease);
        }

        void refuse(RejectReason reason) {
            refuse(reason, 0);
        }

        void refuse(RejectReason reason, int retryAfterSeconds) {
            settled = true;
            listener.onRefused(reason, retryAfterSeconds);
        }

        void evict() {
            listener.onEvicted();
        }

        @Override
        public boolean cancel() {
            if (settled) {
                return false;
            }
            settled = true;
            cancelled = true;
            return true;
        }
    }

    /** A charge that counts how often it was given back. */
    static final class StubLease implements Lease {
        private final EndpointView endpoint;
        int closed;

        StubLease(EndpointView endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public EndpointView endpoint() {
            return endpoint;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    Submission last() {
        return submissions.get(submissions.size() - 1);
    }

    @Override
    public Ticket submit(AdmissionRequest request, AdmissionListener listener, Executor owner) {
        return add(new Submission(request, listener, null));
    }

    @Override
    public Ticket resubmit(Ticket earlier, AdmissionRequest request, AdmissionListener listener, Executor owner) {
        return add(new Submission(request, listener, earlier));
    }

    private Ticket add(Submission submission) {
        submissions.add(submission);
        return submission;
    }

    @Override
    public void register(Executor executor) {
    }

    @Override
    public void signal() {
    }

    @Override
    public void tick() {
    }

    @Override
    public void provision(Set<Integer> priorities) {
    }

    @Override
    public void beginDrain() {
    }

    @Override
    public void shutdown() {
    }

    @Override
    public CapacityReader capacity() {
        return priority -> null;
    }

    @Override
    public List<BandView> bands() {
        return List.of();
    }

    @Override
    public SaturationView saturation() {
        return new SaturationView(null, null, 0);
    }
}
