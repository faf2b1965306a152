package io.penstock.flow.model;

import io.penstock.flow.FlowKey;
import java.util.Set;

/** One submission as the model knows it, from its arrival to its outcome. Plain state of one thread. */
final class Waiting {

    enum State {
        WAITING,
        DISPATCHED,
        /** Dispatched, and the listener knows. */
        RUNNING,
        OVER
    }

    final Step.Submit request;
    /** Of this submission; another than the request's when it was taken back. */
    final int id;
    final FlowKey requested;
    final FlowKey effective;
    final long submitted;
    final long received;
    /** Which took it, and whose budget it has; it may be gone. */
    final ModelBand home;
    final boolean returned;
    final Set<Integer> excluded;
    State state = State.WAITING;
    long rank;
    long arrival;
    int endpoint = -1;
    long waited;
    boolean leaseOpen;
    boolean takenBack;
    /** In the order of dispatch, while eviction is enabled; else -1. */
    long tracked = -1;
    /** Was told to stop. */
    boolean revoked;

    Waiting(Step.Submit request, int id, FlowKey effective, long submitted, long received, ModelBand home,
            boolean returned, Set<Integer> excluded) {
        this.request = request;
        this.id = id;
        this.requested = new FlowKey(request.flow(), request.priority());
        this.effective = effective;
        this.submitted = submitted;
        this.received = received;
        this.home = home;
        this.returned = returned;
        this.excluded = excluded;
    }

    long budget() {
        return home.budget(request.ttl());
    }

    long bytes() {
        return request.bytes();
    }

    String flow() {
        return request.flow();
    }

    /** Whether it goes before another one of the same queue. */
    boolean before(Waiting other) {
        return rank != other.rank ? rank < other.rank : arrival < other.arrival;
    }
}
