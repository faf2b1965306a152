package io.penstock.flow.engine;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.BandView.FlowView;
import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.FlowHandle;
import io.penstock.flow.FlowKey;
import io.penstock.flow.OrderingPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits in one band, by flow, and in front of the flows what was taken back after a dispatch. Plain state of the drainer; only
 * {@link #peek} may be called from elsewhere and sees an estimate.
 */
final class BandQueues {

    private static final int FORGOTTEN_A_TICK = 1024;

    /** How many flows a view lists. */
    static final int FLOWS_SHOWN = 100;

    private final Map<String, FlowQueue> flows = new ConcurrentHashMap<>();
    private final IdleFlows idle = new IdleFlows();
    private final FlowQueue returned = FlowQueue.list(this, "returned");
    private final int priority;
    private final FlowEvents events;
    private final Consumer<FlowQueue> forget = this::forget;
    private FairnessPolicy fairness;
    private OrderingPolicy ordering;
    private long arrivals;
    private int waiting;

    /** What other threads may know. */
    record Peek(long oldestWaitNanos, int flowCount, List<FlowView> flows) {
    }

    BandQueues(int priority, FairnessPolicy fairness, OrderingPolicy ordering, FlowEvents events) {
        this.priority = priority;
        this.fairness = new GuardedFairness(fairness, events);
        this.ordering = ordering;
        this.events = events;
    }

    /** Requests here, those included that were settled a moment ago and whose departure has not been seen yet. */
    int waiting() {
        return waiting;
    }

    FairnessPolicy fairness() {
        return fairness;
    }

    /**
     * Takes new policies over and puts everything into their order.
     *
     * @param flows null to keep the fairness policy and what it remembers
     * @param requests null to keep the ordering policy
     */
    void configure(@Nullable FairnessPolicy flows, @Nullable OrderingPolicy requests) {
        if (requests != null) {
            ordering = requests;
        }
        List<FlowQueue> busy = new ArrayList<>();
        for (FlowQueue flow : this.flows.values()) {
            if (flow.length() > 0) {
                flow.reorder(ticket -> ticket.rank = rank(ticket));
                busy.add(flow);
            }
        }
        if (flows != null) {
            // The old one lets go of what it holds for them, which the new one may share with it.
            busy.forEach(fairness::deactivated);
            fairness = new GuardedFairness(flows, events);
            // In the order in which they would have become known to it.
            busy.sort(Comparator.comparingLong(FlowQueue::headArrival));
            busy.forEach(fairness::activated);
        } else {
            // Ranks of two orderings do not compare, so no head may meet one that still has its rank of before.
            busy.forEach(fairness::setAside);
            busy.forEach(fairness::headChanged);
            fairness.restore();
        }
    }

    /** When the request that is next was submitted; {@code now} when none is. */
    long headSubmitted(long now) {
        QueuedTicket first = returned.head();
        if (first == null) {
            first = pick();
        }
        return first == null ? now : first.submittedNanos;
    }

    /** The best of those that were taken back. */
    @Nullable QueuedTicket firstReturned() {
        return returned.head();
    }

    /** Takes a ticket in: this fixes its place in the band's order of arrival. */
    void link(QueuedTicket ticket) {
        ticket.rank = ticket.returned ? ticket.submittedNanos : rank(ticket);
        ticket.spot = QueuedTicket.Spot.LINKED;
        ticket.arrival = arrivals++;
        waiting++;
        if (ticket.returned) {
            returned.insert(ticket);
            return;
        }
        String id = ticket.effective.fairnessId();
        FlowQueue flow = flows.get(id);
        if (flow == null) {
            flow = new FlowQueue(this, id);
            flows.put(id, flow);
        } else if (flow.length() == 0) {
            idle.remove(flow);
        }
        flow.insert(ticket);
        if (flow.length() == 1) {
            fairness.activated(flow);
        } else if (flow.head() == ticket) {
            fairness.headChanged(flow);
        }
    }

    /** Takes a linked ticket out. */
    void unlink(QueuedTicket ticket, long now) {
        FlowQueue flow = ticket.flow;
        if (flow == null) {
            return;
        }
        boolean first = flow.head() == ticket;
        ticket.spot = QueuedTicket.Spot.GONE;
        waiting--;
        flow.remove(ticket);
        if (flow == returned) {
            return;
        }
        if (flow.length() == 0) {
            fairness.deactivated(flow);
            idle.add(flow, now);
            // For each that comes one may go, so that there are never too many, however fast they come.
            if (idle.crowded()) {
                idle.evict(now, 1, forget);
            }
        } else if (first) {
            fairness.headChanged(flow);
        }
    }

    /** The head of the flow whose turn it is, or null. */
    @Nullable QueuedTicket pick() {
        FlowHandle flow = fairness.pick();
        return flow == null ? null : ((FlowQueue) flow).head();
    }

    /** Every linked ticket; the consumer must not link or unlink. */
    void forEach(Consumer<QueuedTicket> action) {
        returned.forEach(action);
        for (FlowQueue flow : flows.values()) {
            flow.forEach(action);
        }
    }

    void evictIdle(long now) {
        idle.evict(now, FORGOTTEN_A_TICK, forget);
    }

    /** The band goes, and with it what is kept of its flows. */
    void forgetFlows() {
        flows.values().forEach(this::forget);
    }

    private void forget(FlowQueue flow) {
        flows.remove(flow.fairnessId());
        fairness.forgotten(flow);
        events.flowRemoved(new FlowKey(flow.fairnessId(), priority));
    }

    /** For tests: flows in memory, the idle ones included. */
    int flowsKept() {
        return flows.size();
    }

    /**
     * Where the policy says nothing, the time of submission: deadlines are made of it, so it compares with all of them. Zero would not, and
     * one rank that does not puts others out of order.
     */
    private long rank(QueuedTicket ticket) {
        AdmissionRequest request = ticket.request();
        if (request == null) {
            return ticket.submittedNanos;
        }
        try {
            return ordering.rank(request, ticket.submittedNanos, ticket.band.budget(ticket.ttlNanos));
        } catch (Throwable broken) {
            events.failed(ordering.type(), broken);
            return ticket.submittedNanos;
        }
    }

    /** From any thread: weakly consistent. */
    Peek peek(long now) {
        long oldest = returned.peekWait(now);
        List<FlowView> found = new ArrayList<>();
        for (FlowQueue flow : flows.values()) {
            int length = flow.peekLength();
            if (length > 0) {
                found.add(new FlowView(flow.fairnessId(), length));
                oldest = Math.max(oldest, flow.peekWait(now));
            }
        }
        found.sort(Comparator.comparingLong(FlowView::requests).reversed().thenComparing(FlowView::fairnessId));
        int count = found.size();
        return new Peek(oldest, count, List.copyOf(found.subList(0, Math.min(count, FLOWS_SHOWN))));
    }
}
