package io.penstock.flow.model;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Chooses the flow whose head is served next. One thread. */
interface ModelFairness {

    /** Weights of the weighted plugins that scripts use, by fairness id; others have 1. */
    Map<String, Double> WEIGHTS = Map.of("a", 2.0, "b", 0.5, "c", 3.0);

    static ModelFairness of(String reference) {
        return switch (reference) {
            case "global-strict-fairness-policy" -> new GlobalStrict();
            case "round-robin-fairness-policy" -> new RoundRobin();
            case "by-requests", "by-bytes", "by-tokens" -> new Weighted(reference);
            default -> throw new AssertionError(reference);
        };
    }

    /**
     * The flow to serve, or null for none.
     *
     * @param heads of all flows that have waiting requests, by name
     * @param passed flows whose head no endpoint takes just now
     */
    @Nullable String pick(Map<String, Waiting> heads, Set<String> passed);

    /** The flow has its first waiting request. */
    default void activated(String flow) {
    }

    /** The flow has no waiting request any more. */
    default void deactivated(String flow) {
    }

    /** The flow has had none for so long that it is not remembered any more. */
    default void forgotten(String flow) {
    }

    /** The head of that flow was dispatched. */
    default void served(Waiting head) {
    }

    /** The best head of all, whatever its flow. */
    final class GlobalStrict implements ModelFairness {

        @Override
        public @Nullable String pick(Map<String, Waiting> heads, Set<String> passed) {
            Waiting best = null;
            for (Waiting head : heads.values()) {
                if (!passed.contains(head.flow()) && (best == null || head.before(best))) {
                    best = head;
                }
            }
            return best == null ? null : best.flow();
        }
    }

    /** Each flow in turn, by name; from the start again when the one served last is forgotten or nothing waits. */
    final class RoundRobin implements ModelFairness {

        private final Set<String> active = new TreeSet<>();
        private @Nullable String last;

        @Override
        public @Nullable String pick(Map<String, Waiting> heads, Set<String> passed) {
            String first = null;
            for (String flow : heads.keySet()) {
                if (passed.contains(flow)) {
                    continue;
                }
                if (last == null || flow.compareTo(last) > 0) {
                    return flow;
                }
                if (first == null) {
                    first = flow;
                }
            }
            return first;
        }

        @Override
        public void activated(String flow) {
            active.add(flow);
        }

        @Override
        public void deactivated(String flow) {
            active.remove(flow);
            if (active.isEmpty()) {
                last = null;
            }
        }

        @Override
        public void forgotten(String flow) {
            if (flow.equals(last)) {
                last = null;
            }
        }

        @Override
        public void served(Waiting head) {
            last = head.flow();
        }
    }

    /**
     * By weight: a flow that was served has to wait until the others have had as much, each by its weight. Idle flows gather nothing; debts
     * last until nothing waits.
     */
    final class Weighted implements ModelFairness {

        /** One request, byte or token of a flow of weight 1. */
        private static final double UNIT = 1 << 20;

        private final String cost;
        /** When each flow's turn is, in service had by a flow of weight 1. */
        private final Map<String, Long> turns = new HashMap<>();
        private final Map<String, Long> since = new HashMap<>();
        private final Set<String> active = new TreeSet<>();
        private long now;
        private long latest;
        private long order;

        Weighted(String cost) {
            this.cost = cost;
        }

        @Override
        public @Nullable String pick(Map<String, Waiting> heads, Set<String> passed) {
            String best = null;
            for (String flow : heads.keySet()) {
                if (!passed.contains(flow) && (best == null || before(flow, best))) {
                    best = flow;
                }
            }
            return best;
        }

        private boolean before(String flow, String other) {
            long difference = turns.get(flow) - turns.get(other);
            return difference != 0 ? difference < 0 : since.get(flow) < since.get(other);
        }

        @Override
        public void activated(String flow) {
            active.add(flow);
            turns.merge(flow, now, Math::max);
            since.put(flow, order++);
        }

        @Override
        public void deactivated(String flow) {
            active.remove(flow);
            if (active.isEmpty()) {
                now = latest;
            }
        }

        @Override
        public void forgotten(String flow) {
            turns.remove(flow);
        }

        @Override
        public void served(Waiting head) {
            long size = switch (cost) {
                case "by-bytes" -> head.bytes();
                case "by-tokens" -> head.request.tokens();
                default -> 1;
            };
            now = Math.max(now, turns.get(head.flow()));
            long turn = now + (long) (Math.max(1, size) * UNIT / WEIGHTS.getOrDefault(head.flow(), 1.0));
            turns.put(head.flow(), turn);
            latest = Math.max(latest, turn);
            since.put(head.flow(), order++);
        }
    }
}
