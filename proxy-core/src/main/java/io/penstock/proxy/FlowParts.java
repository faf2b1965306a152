package io.penstock.proxy;

import io.netty.util.AsciiString;
import io.penstock.detect.DetectorEvents;
import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.BandSelectionPolicy;
import io.penstock.flow.FairnessPolicy;
import io.penstock.flow.FlowController;
import io.penstock.flow.FlowKey;
import io.penstock.flow.OrderingPolicy;
import io.penstock.flow.Placement;
import io.penstock.flow.UsageLimitPolicy;
import io.penstock.flow.engine.Collaborators;
import io.penstock.flow.engine.FlowControllers;
import io.penstock.flow.policy.PolicySet;
import io.penstock.flow.policy.ProgramsView;
import io.penstock.proxy.admitter.Admitter;
import io.penstock.proxy.admitter.AdmitterSet;
import io.penstock.proxy.admitter.Admitters;
import io.penstock.proxy.config.AgentIdentity;
import io.penstock.proxy.config.PickerSettings;
import io.penstock.proxy.config.PluginSpec;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointPool;
import io.penstock.proxy.endpoint.LeastLoadPlacement;
import io.penstock.proxy.metrics.MeterFlowEvents;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Flow control and everything in it that the document {@code EndpointPickerConfig} chooses: detectors, policies, placement, admitters. Made
 * once, and changed in one piece by {@link #reload}, which belongs to one thread at a time; the rest may be called from any.
 */
final class FlowParts {

    /** What stays the same, whatever a document says. */
    record Surroundings(EndpointPool pool, LongSupplier clock, MeterFlowEvents events, DetectorEvents series, FlowSignal signal,
            ProxyOptions options, int maxRequestsPerEndpoint, Consumer<String> onDenied) {
    }

    /** What one document chose. */
    private record Chosen(PickerSettings settings, Policed policed, Detection detection, LeastLoadPlacement placement,
            List<AsciiString> sessionHeaders) {
    }

    /** The policies of one document. The functions are kept, since the engine tells by them whether a band's policy has changed. */
    private record Policed(PolicySet set, Function<String, FairnessPolicy> fairness, Function<String, OrderingPolicy> ordering,
            UsageLimitPolicy usageLimit, BandSelectionPolicy bandSelection) {

        static Policed of(PickerSettings settings, PolicySet set) {
            return new Policed(set, set::fairness, set::ordering, set.usageLimit(settings.usageLimit().name()), ranking(settings, set));
        }

        private static BandSelectionPolicy ranking(PickerSettings settings, PolicySet set) {
            PluginSpec chosen = settings.bandSelection();
            return set.bandSelection(chosen == null ? null : chosen.name());
        }

        /** The same plugins; only which of them are in use may have changed. */
        Policed again(PickerSettings before, PickerSettings next) {
            return new Policed(set, fairness, ordering,
                    next.usageLimit().equals(before.usageLimit()) ? usageLimit : set.usageLimit(next.usageLimit().name()),
                    Objects.equals(next.bandSelection(), before.bandSelection()) ? bandSelection : ranking(next, set));
        }
    }

    private final Surroundings around;
    private final AdmitterSet admitters;
    /** The present one's, whichever that is: the engine keeps what it is given first. */
    private final Placement placement;
    private final FlowController flow;
    private volatile Chosen now;

    FlowParts(PickerSettings settings, Surroundings around) {
        this.around = around;
        this.admitters = new AdmitterSet(around.onDenied);
        this.now = choose(settings, null);
        this.placement = around.options.hooks().around(request -> now.placement.place(request));
        Collaborators with = collaborators(now);
        this.flow = settings.flowControlEnabled() ? FlowControllers.create(settings.flowControl(), with) : FlowControllers.shedding(with);
        admitters.use(admitters(settings));
    }

    FlowController flow() {
        return flow;
    }

    AdmitterSet admitters() {
        return admitters;
    }

    /** Headers that name a session, which stands for a fairness id; empty without {@code agent-identity}. */
    List<AsciiString> sessionHeaders() {
        return now.sessionHeaders;
    }

    /** An endpoint for a request that no detector counts; null when there is none. */
    @Nullable
    Endpoint pickUncounted(AdmissionRequest request) {
        return now.placement.pickUncounted(request);
    }

    /** Tells the policies that an admitted request has ended. */
    void finished(FlowKey admitted, long promptTokens, long completionTokens) {
        now.policed.set.usage().finished(admitted, promptTokens, completionTokens);
    }

    /** What the program-aware policies know, for metrics. */
    List<ProgramsView> programs() {
        return now.policed.set.programs();
    }

    /**
     * Takes over what another document chooses, without losing a request. What has not changed keeps its state.
     *
     * @throws IllegalArgumentException when something in it cannot be made; then nothing has changed
     */
    void reload(PickerSettings next) {
        if (next.equals(now.settings)) {
            return;
        }
        Chosen chosen = choose(next, now);
        List<Admitter> asked = admitters(next);
        FlowControllers.reconfigure(flow, next.flowControl(), collaborators(chosen));
        now = chosen;
        admitters.use(asked);
    }

    private Chosen choose(PickerSettings settings, @Nullable Chosen before) {
        Detection detection = Detection.of(settings, around.series);
        LeastLoadPlacement placement = new LeastLoadPlacement(around.pool, detection.forPlacement(), TokenCounting.charge(settings.load()),
                around.clock, around.signal, Detection.limiting(settings),
                settings.flowControlEnabled() ? around.maxRequestsPerEndpoint : Integer.MAX_VALUE);
        List<AsciiString> sessions = AgentIdentity.headers(settings.plugins().values()).stream().map(AsciiString::cached).toList();
        return new Chosen(settings, policies(settings, before), detection, placement, sessions);
    }

    private Policed policies(PickerSettings settings, @Nullable Chosen before) {
        if (before == null) {
            return Policed.of(settings, PolicySet.of(settings.policies(), around.clock));
        }
        PickerSettings old = before.settings;
        if (Set.copyOf(settings.policies()).equals(Set.copyOf(old.policies()))) {
            return before.policed.again(old, settings);
        }
        return Policed.of(settings, before.policed.set.reloaded(settings.policies()));
    }

    private List<Admitter> admitters(PickerSettings settings) {
        return settings.plugins().values().stream().filter(plugin -> Admitters.types().contains(plugin.type()))
                .map(plugin -> Admitters.create(plugin.type(), plugin.name(), plugin.parameters(), around.pool,
                        () -> ThreadLocalRandom.current().nextDouble()))
                .toList();
    }

    private Collaborators collaborators(Chosen chosen) {
        return Collaborators.of(chosen.detection.byDefault(), placement, around.pool, around.clock)
                .withStages(chosen.detection.stages())
                .withUsageLimit(chosen.policed.usageLimit)
                .withBandSelection(chosen.policed.bandSelection)
                .withPolicies(chosen.policed.fairness, chosen.policed.ordering)
                .withEvents(around.events)
                .withHooks(around.options.hooks());
    }
}
