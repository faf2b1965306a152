package io.penstock.bench.peers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Who is measured when, within one scenario of one round. What is compared most closely stands next to each other: flow control on and
 * off as A B B A, so that a machine that gets slower or faster meanwhile does so for both; h2c towards backends beside the peer that does
 * the same. Each round swaps A and B, and moves on by one group, so that none is always first. No state; any thread.
 */
final class Order {

    private static final String OFF = "-off";
    private static final String H2C = "-h2c";

    private Order() {
    }

    /** The targets in their turn; one that stands there twice is measured twice, and its figure is the mean. */
    static List<Target> of(List<Target> targets, int round) {
        List<List<Target>> groups = new ArrayList<>();
        List<Target> left = new ArrayList<>(targets);
        while (!left.isEmpty()) {
            Target first = left.remove(0);
            List<Target> others = left.stream().filter(each -> paired(first, each)).toList();
            left.removeAll(others);
            groups.add(group(first, others, round % 2 == 1));
        }
        if (!groups.isEmpty()) {
            Collections.rotate(groups, -(round % groups.size()));
        }
        return groups.stream().flatMap(List::stream).toList();
    }

    private static List<Target> group(Target first, List<Target> others, boolean swapped) {
        List<Target> group = new ArrayList<>(List.of(first));
        group.addAll(others);
        if (swapped) {
            Collections.reverse(group);
        }
        if (others.size() == 1 && onAndOff(first, others.get(0))) {
            Collections.addAll(group, group.get(1), group.get(0));
        }
        return group;
    }

    private static boolean paired(Target one, Target other) {
        return onAndOff(one, other) || one.kind() == Kind.HAPROXY && one.name().endsWith(H2C) && other.jvm() && other.name().endsWith(H2C);
    }

    private static boolean onAndOff(Target one, Target other) {
        return other.name().equals(one.name() + OFF) || one.name().equals(other.name() + OFF);
    }
}
