package io.penstock.flow.model;

import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Outcome;
import io.penstock.flow.RejectReason;
import io.penstock.flow.config.BandConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The model: flow control on one thread, written from spec/flow-control sections 2 to 4 and 14 and from design section 3, and from nothing
 * else; lists and loops. After every step it does what may be done until nothing more may.
 */
final class Reference implements Side {

    /** Heads of one band that may find no endpoint before the next band is asked; as many of those taken back (docs/request-life.md). */
    private static final int MISSES = 8;

    /** A flow with nothing waiting is forgotten after this. */
    static final long IDLE = 300_000_000_000L;

    private final Seen.Notes notes = new Seen.Notes();
    private final ModelGate gate;
    private final List<ModelBand> bands = new ArrayList<>();
    private final Set<Integer> statics = new HashSet<>();
    private final Map<Integer, Waiting> all = new HashMap<>();
    private final int[] inFlight;
    private final List<Deque<Runnable>> owners = List.of(new ArrayDeque<>(), new ArrayDeque<>(), new ArrayDeque<>());
    private final boolean[] refusing = new boolean[3];
    private Setup setup;
    private ModelSelection selection;
    private @Nullable ModelEviction eviction;
    private Set<Integer> wanted = Set.of();
    private @Nullable Set<Integer> newlyWanted;
    private boolean held;
    private List<Integer> members = List.of();
    private int limit = Integer.MAX_VALUE;
    private long now;
    private boolean poolEmpty;
    private boolean flipped;
    private long flippedAt;
    private boolean draining;
    private boolean stopped;

    Reference(Setup setup) {
        this.setup = setup;
        this.gate = new ModelGate(setup);
        this.selection = new ModelSelection(setup.selection());
        this.inFlight = new int[setup.roles().size()];
        this.eviction = setup.config().evicts() ? new ModelEviction(notes, setup.config().evictionGraceNanos()) : null;
        makeStatics();
    }

    private void makeStatics() {
        statics.clear();
        statics.add(0);
        setup.config().bands().forEach(band -> statics.add(band.priority()));
        statics.forEach(this::make);
    }

    private void make(int priority) {
        if (find(priority) == null) {
            bands.add(new ModelBand(configured(priority), setup.config().requestTtlNanos()));
            bands.sort(Comparator.comparingInt((ModelBand band) -> band.priority).reversed());
        }
    }

    private BandConfig configured(int priority) {
        return setup.config().bands().stream().filter(band -> band.priority() == priority).findFirst()
                .orElse(priority == 0 ? setup.config().defaultBand().withPriority(0) : setup.config().template(priority));
    }

    private @Nullable ModelBand find(int priority) {
        return bands.stream().filter(band -> band.priority == priority).findFirst().orElse(null);
    }

    private ModelBand zero() {
        ModelBand zero = find(0);
        if (zero == null) {
            throw new AssertionError("no band 0");
        }
        return zero;
    }

    // ------------------------------------------------------------------------------------------------------------------ what comes in

    @Override
    public void submit(Step.Submit request) {
        ModelBand band = find(request.priority());
        if (band == null) {
            band = zero();
            notes.fellBack(new FlowKey(request.flow(), request.priority()));
        }
        Waiting one = new Waiting(request, request.id(), new FlowKey(request.flow(), band.priority), now, now - request.receivedAgo(),
                band, false, Set.of());
        all.put(one.id, one);
        if (stopped) {
            refuse(one, Outcome.REJECTED_OTHER, RejectReason.SHUTTING_DOWN);
        } else if (band.hasRoom(request.bytes()) && hasRoom(request.bytes())) {
            band.add(one);
        } else if (members.isEmpty()) {
            refuse(one, Outcome.REJECTED_NO_ENDPOINTS, RejectReason.NO_ENDPOINTS);
        } else if (draining) {
            refuse(one, Outcome.REJECTED_OTHER, RejectReason.SHUTTING_DOWN);
        } else {
            refuse(one, Outcome.REJECTED_CAPACITY, RejectReason.SATURATED);
        }
        settleDown();
    }

    private boolean hasRoom(long bytes) {
        long requests = bands.stream().mapToLong(band -> band.queued.size()).sum();
        long sum = bands.stream().mapToLong(ModelBand::bytes).sum();
        return ModelBand.fits(setup.config().maxRequests(), requests + 1) && ModelBand.fits(setup.config().maxBytes(), sum + bytes);
    }

    @Override
    public void cancel(int id) {
        Waiting one = all.get(id);
        if (one == null) {
            return;
        }
        boolean first = one.state == Waiting.State.WAITING;
        notes.heard(new Seen.Heard(id, "cancel " + first, null, null, 0));
        if (first) {
            tell(one, Outcome.EVICTED_CONTEXT_CANCELLED, now - one.submitted);
            leave(one);
        }
        settleDown();
    }

    @Override
    public void close(int id) {
        Waiting one = all.get(id);
        if (one != null && one.state == Waiting.State.RUNNING) {
            giveBack(one);
        }
        settleDown();
    }

    @Override
    public void again(int id, int newId, boolean elsewhere) {
        Waiting one = all.get(id);
        if (one == null || one.state != Waiting.State.RUNNING || one.takenBack) {
            return;
        }
        one.takenBack = true;
        giveBack(one);
        settleDown();
        Set<Integer> excluded = new HashSet<>(one.excluded);
        if (elsewhere) {
            excluded.add(one.endpoint);
        }
        Waiting again = new Waiting(one.request, newId, one.effective, one.submitted, one.received, one.home, true, excluded);
        all.put(newId, again);
        if (stopped) {
            refuse(again, Outcome.REJECTED_OTHER, RejectReason.SHUTTING_DOWN);
        } else {
            ModelBand home = find(one.effective.priority());
            (home == null ? zero() : home).add(again);
        }
        settleDown();
    }

    @Override
    public void advance(long nanos) {
        now += nanos;
        if (nanos >= IDLE) {
            tick();
        }
        settleDown();
    }

    @Override
    public void tick() {
        applyWanted();
        if (!stopped) {
            observe();
            for (Waiting one : waiting()) {
                if (over(one)) {
                    expire(one);
                }
            }
            bands.forEach(band -> forgetIdleFlows(band, Integer.MAX_VALUE));
            if (eviction != null) {
                eviction.quiet(now);
            }
            gate.measure(members, inFlight);
        }
        settleDown();
    }

    @Override
    public void saturate(int detector, double value) {
        gate.told[detector] = value;
        settleDown();
    }

    @Override
    public void pool(int bits) {
        members = new ArrayList<>();
        for (int i = 0; i < inFlight.length; i++) {
            if ((bits >> i & 1) == 1) {
                members.add(i);
            }
        }
        settleDown();
    }

    @Override
    public void limit(int requests) {
        limit = requests;
        settleDown();
    }

    @Override
    public void provision(Set<Integer> priorities) {
        newlyWanted = priorities;
        settleDown();
    }

    @Override
    public void hold(boolean on) {
        held = on;
        settleDown();
    }

    @Override
    public void run(int owner) {
        Deque<Runnable> tasks = owners.get(owner);
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        settleDown();
    }

    @Override
    public void refuse(int owner) {
        refusing[owner] = true;
        settleDown();
    }

    @Override
    public void beginDrain() {
        draining = true;
        settleDown();
    }

    @Override
    public void shutdown() {
        stopped = true;
        settleDown();
    }

    @Override
    public void reload(Setup other) {
        setup = other;
        gate.setup = other;
        selection = new ModelSelection(other.selection());
        if (!other.config().evicts()) {
            eviction = null;
        } else if (eviction == null) {
            eviction = new ModelEviction(notes, other.config().evictionGraceNanos());
        } else {
            eviction.grace(other.config().evictionGraceNanos());
        }
        for (ModelBand band : bands) {
            band.configure(configured(band.priority), other.config().requestTtlNanos());
        }
        makeStatics();
        applyWanted();
        removeUnwanted();
        settleDown();
    }

    // ------------------------------------------------------------------------------------------------------------- what follows from it

    private void settleDown() {
        do {
            applyWanted();
            dispatchWhatMay();
        } while (removeUnwanted());
    }

    private void applyWanted() {
        if (newlyWanted == null || held) {
            return;
        }
        wanted = newlyWanted;
        newlyWanted = null;
        wanted.forEach(this::make);
        removeUnwanted();
    }

    /** Bands that are neither static nor wanted go when they are empty. */
    private boolean removeUnwanted() {
        boolean any = false;
        for (ModelBand band : new ArrayList<>(bands)) {
            if (!statics.contains(band.priority) && !wanted.contains(band.priority) && band.isEmpty()) {
                bands.remove(band);
                band.idle.keySet().forEach(flow -> notes.told("removed " + flow + ':' + band.priority));
                notes.removed(band.priority);
                any = true;
            }
        }
        return any;
    }

    private void forgetIdleFlows(ModelBand band, int most) {
        for (String flow : band.idle.keySet().stream().limit(most).toList()) {
            if (now - band.idle.get(flow) >= IDLE) {
                band.idle.remove(flow);
                band.fairness.forgotten(flow);
                notes.told("removed " + flow + ':' + band.priority);
            }
        }
    }

    private void dispatchWhatMay() {
        if (stopped) {
            for (Waiting one : waiting()) {
                refuse(one, Outcome.EVICTED_OTHER, RejectReason.SHUTTING_DOWN);
            }
            return;
        }
        boolean dispatched = true;
        while (dispatched && !waiting().isEmpty()) {
            observe();
            dispatched = decide(gate.measure(members, inFlight));
        }
    }

    private boolean decide(double saturation) {
        List<Integer> priorities = bands.stream().map(band -> band.priority).toList();
        double[] ceilings = new double[bands.size()];
        boolean[] open = new boolean[bands.size()];
        for (int i = 0; i < open.length; i++) {
            ceilings[i] = ModelGate.ceiling(setup.ceilings(), priorities, i);
            open[i] = saturation < ceilings[i];
        }
        for (ModelBand band : selection.rank(List.copyOf(bands), open, now)) {
            if (dispatchReturned(band) || dispatchQueued(band)) {
                selection.dispatched(band);
                return true;
            }
        }
        if (eviction != null && gate.hasEndpoints(members) && eviction.quiet(now)) {
            evict(eviction, saturation, ceilings);
        }
        return false;
    }

    /** The highest blocked band with something waiting asks for room, if anything below it runs. */
    private void evict(ModelEviction from, double saturation, double[] ceilings) {
        Waiting lowest = from.next();
        for (int i = 0; i < ceilings.length && lowest != null && bands.get(i).priority > lowest.request.priority(); i++) {
            ModelBand demand = bands.get(i);
            if (ceilings[i] <= 0 || saturation < ceilings[i] || demand.isEmpty()) {
                continue;
            }
            int told = 0;
            double wanted = from.wanted(saturation, ceilings[i]);
            for (Waiting victim = from.next(); told < wanted && victim != null; victim = from.next()) {
                if (victim.request.priority() >= demand.priority) {
                    break;
                }
                told += revoke(from, victim) ? 1 : 0;
            }
            if (told > 0) {
                notes.told("revoked " + told + " for " + demand.priority);
            }
            return;
        }
    }

    private boolean revoke(ModelEviction from, Waiting victim) {
        victim.revoked = true;
        if (refusing[victim.request.owner()]) {
            notes.failed("executor");
            return false;
        }
        from.revoked(victim, now);
        hand(victim.request.owner(), () -> {
            if (victim.leaseOpen) {
                notes.heard(new Seen.Heard(victim.id, "evicted", null, null, 0));
            }
        });
        return true;
    }

    private boolean dispatchReturned(ModelBand band) {
        Set<Waiting> passed = new HashSet<>();
        for (Waiting one = band.firstReturned(passed); one != null && passed.size() < MISSES; one = band.firstReturned(passed)) {
            if (over(one)) {
                expire(one);
            } else if (dispatch(one)) {
                return true;
            } else {
                passed.add(one);
            }
        }
        return false;
    }

    private boolean dispatchQueued(ModelBand band) {
        Set<String> passed = new TreeSet<>();
        while (passed.size() < MISSES) {
            Map<String, Waiting> heads = band.heads();
            String flow = band.fairness.pick(heads, passed);
            if (flow == null) {
                return false;
            }
            Waiting head = heads.get(flow);
            if (over(head)) {
                expire(head);
            } else if (endpoint(head) >= 0) {
                band.fairness.served(head);
                return dispatch(head);
            } else {
                passed.add(flow);
            }
        }
        return false;
    }

    private int endpoint(Waiting one) {
        for (int member : members) {
            if (inFlight[member] < limit && !one.excluded.contains(member)) {
                return member;
            }
        }
        return -1;
    }

    private boolean dispatch(Waiting one) {
        int endpoint = endpoint(one);
        if (endpoint < 0) {
            return false;
        }
        leave(one);
        notes.placed(one.id, endpoint);
        one.endpoint = endpoint;
        one.waited = now - one.submitted;
        inFlight[endpoint]++;
        one.leaseOpen = true;
        if (eviction != null) {
            eviction.dispatched(one);
        }
        int owner = one.request.owner();
        if (refusing[owner]) {
            tell(one, Outcome.EVICTED_OTHER, one.waited);
            notes.failed("executor");
            giveBack(one);
            removeUnwanted();
            return true;
        }
        one.state = Waiting.State.DISPATCHED;
        tell(one, Outcome.DISPATCHED, one.waited);
        hand(owner, () -> {
            one.state = Waiting.State.RUNNING;
            notes.heard(new Seen.Heard(one.id, "dispatched", one.effective, null, one.waited));
        });
        return true;
    }

    private void hand(int owner, Runnable task) {
        if (owner == 0) {
            task.run();
        } else {
            owners.get(owner).add(task);
        }
    }

    private void giveBack(Waiting one) {
        if (one.leaseOpen) {
            one.leaseOpen = false;
            inFlight[one.endpoint]--;
            if (eviction != null) {
                eviction.ended(one, now);
            }
        }
    }

    private void refuse(Waiting one, Outcome outcome, RejectReason why) {
        long waited = now - one.submitted;
        tell(one, outcome, waited);
        leave(one);
        if (refusing[one.request.owner()]) {
            notes.failed("executor");
        } else {
            hand(one.request.owner(), () -> notes.heard(new Seen.Heard(one.id, "refused", null, why, -1)));
        }
    }

    private void expire(Waiting one) {
        if (poolEmpty) {
            refuse(one, Outcome.EVICTED_NO_ENDPOINTS, RejectReason.NO_ENDPOINTS);
        } else {
            refuse(one, Outcome.EVICTED_TTL, RejectReason.TTL_EXPIRED);
        }
    }

    private void leave(Waiting one) {
        one.state = Waiting.State.OVER;
        for (ModelBand band : bands) {
            if (band.remove(one, now)) {
                // For each that becomes idle one may go.
                forgetIdleFlows(band, 1);
            }
        }
    }

    /** A request that was taken back has had its outcome; only the band that admitted it counts that it was sent away after all. */
    private void tell(Waiting one, Outcome outcome, long waited) {
        if (one.returned) {
            boolean sentAway = outcome != Outcome.DISPATCHED && outcome != Outcome.EVICTED_CONTEXT_CANCELLED;
            one.home.rejected += sentAway ? 1 : 0;
            return;
        }
        notes.settled(new Seen.Settled(one.requested, one.effective, outcome, one.bytes(), waited));
        ModelBand band = find(one.effective.priority());
        if (band == null || outcome == Outcome.EVICTED_CONTEXT_CANCELLED) {
            return;
        }
        if (outcome == Outcome.DISPATCHED) {
            band.dispatched++;
        } else {
            band.rejected++;
        }
    }

    // --------------------------------------------------------------------------------------------------------------------------- budget

    private void observe() {
        if (members.isEmpty() != poolEmpty) {
            poolEmpty = members.isEmpty();
            flipped = true;
            flippedAt = now;
        }
    }

    private boolean over(Waiting one) {
        long budget = poolEmpty ? setup.config().noEndpointTtlNanos() : one.budget();
        long from = flipped ? Math.max(one.submitted, flippedAt) : one.submitted;
        return budget > 0 && now >= from + budget;
    }

    private List<Waiting> waiting() {
        List<Waiting> found = new ArrayList<>();
        for (ModelBand band : bands) {
            found.addAll(band.queued);
            found.addAll(band.returned);
        }
        return found;
    }

    @Override
    public Seen seen() {
        List<BandView> views = bands.stream().map(band -> band.view(now)).toList();
        Map<Integer, CapacitySnapshot> capacity = new TreeMap<>();
        bands.forEach(band -> capacity.put(band.priority, band.snapshot()));
        return notes.take(views, capacity, Arrays.stream(inFlight).boxed().toList(), gate.view(),
                owners.stream().map(Deque::size).toList());
    }
}
