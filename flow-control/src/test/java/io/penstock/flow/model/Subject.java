package io.penstock.flow.model;

import io.penstock.flow.AdmissionListener;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.Outcome;
import io.penstock.flow.PoolView;
import io.penstock.flow.RejectReason;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.flow.Ticket;
import io.penstock.flow.engine.Collaborators;
import io.penstock.flow.engine.FlowControllers;
import io.penstock.flow.engine.FlowHooks;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.FakePlacement;
import io.penstock.flow.testkit.HeldExecutor;
import io.penstock.flow.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The engine, with everything around it in the script's hand. One thread. */
final class Subject implements Side {

    private final Seen.Notes notes = new Seen.Notes();
    private final ManualClock clock = new ManualClock();
    private final List<FakeEndpoint> endpoints = new ArrayList<>();
    private final List<ToldDetector> detectors;
    private final List<HeldExecutor> owners = List.of(new HeldExecutor(), new HeldExecutor(), new HeldExecutor());
    private final Map<Integer, Sent> all = new HashMap<>();
    private final FakePlacement placement = new FakePlacement(() -> this.pool);
    private final Collaborators around;
    private final FlowController controller;
    private final Set<Integer> priorities = new HashSet<>();
    private PoolView pool = PoolView.EMPTY;
    private boolean held;

    Subject(Setup setup) {
        for (int i = 0; i < setup.roles().size(); i++) {
            endpoints.add(new FakeEndpoint("e" + i, setup.roles().get(i)));
        }
        detectors = List.of(new ToldDetector(setup.byLoad()), new ToldDetector(setup.byLoad()), new ToldDetector(setup.byLoad()));
        Map<Stage, SaturationDetector> stages = new EnumMap<>(Stage.class);
        if (setup.stages()) {
            stages.put(Stage.PREFILL, detectors.get(1));
            stages.put(Stage.DECODE, detectors.get(2));
        }
        Collaborators with = Collaborators.of(detectors.get(0), this::place, () -> pool, clock).withStages(stages).withEvents(new Events())
                .withHooks(new Hooks());
        around = with;
        controller = FlowControllers.create(setup.config(), Plugins.of(setup, with));
        placement.onClose(controller::signal);
    }

    private @Nullable Lease place(AdmissionRequest request) {
        Lease lease = placement.place(request);
        if (lease != null) {
            notes.placed(((Sent) request).id, endpoints.indexOf(lease.endpoint()));
        }
        return lease;
    }

    @Override
    public void submit(Step.Submit request) {
        Sent sent = new Sent(request.id(), request, clock.getAsLong() - request.receivedAgo(), Set.of());
        all.put(sent.id, sent);
        priorities.add(request.priority());
        sent.ticket = controller.submit(sent, sent, owner(request.owner()));
        settleDown();
    }

    @Override
    public void cancel(int id) {
        Sent sent = all.get(id);
        if (sent != null && sent.ticket != null) {
            notes.heard(new Seen.Heard(id, "cancel " + sent.ticket.cancel(), null, null, 0));
        }
        settleDown();
    }

    @Override
    public void close(int id) {
        Sent sent = all.get(id);
        if (sent != null && sent.lease != null) {
            sent.lease.close();
        }
        settleDown();
    }

    @Override
    public void again(int id, int newId, boolean elsewhere) {
        Sent sent = all.get(id);
        if (sent == null || sent.lease == null || sent.takenBack || sent.ticket == null) {
            return;
        }
        sent.takenBack = true;
        sent.lease.close();
        settleDown();
        Set<String> excluded = new HashSet<>(sent.excluded);
        if (elsewhere) {
            excluded.add(sent.lease.endpoint().name());
        }
        Sent again = new Sent(newId, sent.request, sent.received, excluded);
        all.put(newId, again);
        again.ticket = controller.resubmit(sent.ticket, again, again, owner(sent.request.owner()));
        settleDown();
    }

    @Override
    public void advance(long nanos) {
        clock.advance(Duration.ofNanos(nanos));
        if (nanos >= Reference.IDLE) {
            // Flows that became idle in one tick have no order, so all of them shall be forgotten at once.
            controller.tick();
        }
        settleDown();
    }

    @Override
    public void tick() {
        controller.tick();
        settleDown();
    }

    @Override
    public void saturate(int detector, double value) {
        detectors.get(detector).told = value;
        settleDown();
    }

    @Override
    public void pool(int members) {
        List<FakeEndpoint> chosen = new ArrayList<>();
        for (int i = 0; i < endpoints.size(); i++) {
            if ((members >> i & 1) == 1) {
                chosen.add(endpoints.get(i));
            }
        }
        pool = FakeEndpoint.pool(chosen.toArray(FakeEndpoint[]::new));
        settleDown();
    }

    @Override
    public void limit(int requests) {
        placement.limit(requests);
        settleDown();
    }

    @Override
    public void provision(Set<Integer> wanted) {
        priorities.addAll(wanted);
        controller.provision(wanted);
        settleDown();
    }

    @Override
    public void hold(boolean on) {
        held = on;
        settleDown();
    }

    @Override
    public void run(int owner) {
        owners.get(owner).runAll();
        settleDown();
    }

    @Override
    public void refuse(int owner) {
        owners.get(owner).refuse();
        settleDown();
    }

    @Override
    public void beginDrain() {
        controller.beginDrain();
        settleDown();
    }

    @Override
    public void shutdown() {
        controller.shutdown();
        settleDown();
    }

    @Override
    public void reload(Setup other) {
        FlowControllers.reconfigure(controller, other.config(), Plugins.of(other, around));
        settleDown();
    }

    /** Tells of the step; and what that leaves to be noticed at the next signal, a band that has become empty, is noticed as well. */
    private void settleDown() {
        controller.signal();
        int before;
        do {
            before = notes.bandsRemoved();
            controller.signal();
        } while (notes.bandsRemoved() != before);
    }

    private Executor owner(int owner) {
        return owner == 0 ? Runnable::run : owners.get(owner);
    }

    @Override
    public Seen seen() {
        Map<Integer, CapacitySnapshot> capacity = new TreeMap<>();
        List<BandView> bands = controller.bands();
        bands.forEach(band -> priorities.add(band.priority()));
        for (int priority : priorities) {
            CapacitySnapshot snapshot = controller.capacity().capacitySnapshot(priority);
            if (snapshot != null) {
                capacity.put(priority, snapshot);
            }
        }
        return notes.take(bands, capacity, endpoints.stream().map(FakeEndpoint::inFlightRequests).toList(),
                controller.saturation(), owners.stream().map(HeldExecutor::size).toList());
    }

    /** One submission: what flow control reads of it, and what it is told. */
    private final class Sent implements AdmissionRequest, AdmissionListener {

        final int id;
        final Step.Submit request;
        final long received;
        final Set<String> excluded;
        @Nullable Ticket ticket;
        @Nullable Lease lease;
        boolean takenBack;

        Sent(int id, Step.Submit request, long received, Set<String> excluded) {
            this.id = id;
            this.request = request;
            this.received = received;
            this.excluded = excluded;
        }

        @Override
        public FlowKey flowKey() {
            return new FlowKey(request.flow(), request.priority());
        }

        @Override
        public long byteSize() {
            return request.bytes();
        }

        @Override
        public long ttlNanos() {
            return request.ttl();
        }

        @Override
        public long receivedNanos() {
            return received;
        }

        @Override
        public long ttftSloNanos() {
            return request.slo();
        }

        @Override
        public long promptTokens() {
            return request.tokens();
        }

        @Override
        public boolean excludes(EndpointView endpoint) {
            return excluded.contains(endpoint.name());
        }

        @Override
        public void onDispatched(FlowKey effective, Lease charged, long waitedNanos) {
            lease = charged;
            notes.heard(new Seen.Heard(id, "dispatched", effective, null, waitedNanos));
        }

        @Override
        public void onPassed(Lease charged) {
            throw new AssertionError("passed");
        }

        @Override
        public void onRefused(RejectReason reason, int retryAfterSeconds) {
            notes.heard(new Seen.Heard(id, "refused", null, reason, -1));
        }

        @Override
        public void onEvicted() {
            notes.heard(new Seen.Heard(id, "evicted", null, null, 0));
        }
    }

    private final class Events implements FlowEvents {

        @Override
        public void settled(FlowKey requested, FlowKey effective, Outcome outcome, long bytes, long waitedNanos) {
            notes.settled(new Seen.Settled(requested, effective, outcome, bytes, waitedNanos));
        }

        @Override
        public void bandRemoved(int priority) {
            notes.removed(priority);
        }

        @Override
        public void flowRemoved(FlowKey flow) {
            notes.told("removed " + flow);
        }

        @Override
        public void revoked(int demandPriority, int requests) {
            notes.told("revoked " + requests + " for " + demandPriority);
        }

        @Override
        public void revocationEnded(boolean confirmed, long nanos) {
            notes.told("revocation ended " + confirmed + " after " + nanos);
        }

        @Override
        public void fellBack(FlowKey requested) {
            notes.fellBack(requested);
        }

        @Override
        public void failed(String what, Throwable cause) {
            notes.failed(what);
        }
    }

    private final class Hooks implements FlowHooks {

        @Override
        public boolean holdProvisioning() {
            return held;
        }
    }
}
