package io.penstock.flow.model;

import io.penstock.flow.config.BandConfig;
import io.penstock.flow.config.FlowControlConfig;
import java.util.ArrayList;
import java.util.List;

/** A setup and what happens after it; plays itself on both sides. Immutable. */
record Script(Setup setup, List<Step> steps) {

    /** What the first step that differs made to differ, with the script up to there; empty when none does. */
    String difference() {
        Reference model;
        Subject engine;
        model = new Reference(setup);
        engine = new Subject(setup);
        for (int i = 0; i < steps.size(); i++) {
            String difference = play(steps.get(i), engine, model);
            if (!difference.isEmpty()) {
                return "after step " + i + ", " + steps.get(i) + ", differs in\n" + difference;
            }
        }
        return "";
    }

    private static String play(Step step, Subject engine, Reference model) {
        step.on(model);
        try {
            step.on(engine);
        } catch (RuntimeException | AssertionError broken) {
            return "the engine threw " + broken;
        }
        return engine.seen().difference(model.seen());
    }

    /** The shortest script that deleting leads to and that still differs: halves first, then less, then single steps and bands. */
    Script shrunk() {
        Script best = this;
        for (int chunk = Math.max(1, steps.size() / 2);; chunk = Math.max(1, chunk / 2)) {
            Script shorter = best.withoutChunks(chunk);
            boolean same = shorter.steps.size() == best.steps.size();
            best = shorter;
            if (chunk == 1 && same) {
                return best.withoutBands();
            }
        }
    }

    private Script withoutChunks(int chunk) {
        Script best = this;
        for (int from = best.steps.size() - chunk; from >= 0; from -= chunk) {
            List<Step> fewer = new ArrayList<>(best.steps);
            fewer.subList(from, Math.min(from + chunk, fewer.size())).clear();
            Script candidate = new Script(setup, fewer);
            if (!candidate.difference().isEmpty()) {
                best = candidate;
            }
        }
        return best;
    }

    private Script withoutBands() {
        Script best = this;
        for (BandConfig band : setup.config().bands()) {
            FlowControlConfig all = best.setup.config();
            List<BandConfig> fewer = new ArrayList<>(all.bands());
            fewer.remove(band);
            Script candidate = new Script(best.setup.with(new FlowControlConfig(all.maxRequests(), all.maxBytes(), all.requestTtlNanos(),
                    all.noEndpointTtlNanos(), all.defaultBand(), all.defaultNegativeBand(), fewer, all.gateOn(),
                    all.evictionGraceNanos())), best.steps);
            if (!candidate.difference().isEmpty()) {
                best = candidate;
            }
        }
        return best;
    }

    String print() {
        StringBuilder text = new StringBuilder(setup.print());
        for (int i = 0; i < steps.size(); i++) {
            text.append("  ").append(i).append(' ').append(steps.get(i)).append('\n');
        }
        return text.toString();
    }
}
