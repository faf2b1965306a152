package io.penstock.flow.policy;

import io.penstock.flow.FlowHandle;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Flows in the order of their ids: a treap, so that coming, leaving and finding the next one take O(log n) of the flows in it, whatever
 * ids a client makes up. Its nodes are used again; {@link FlowHandle#slot} is a flow's node. Drainer only.
 */
final class SortedFlows {

    /** One flow in the tree; a node above has the smaller weight. */
    private static final class Node {

        private final int slot;
        private @Nullable FlowHandle flow;
        private String id = "";
        private int weight;
        private @Nullable Node parent;
        private @Nullable Node left;
        private @Nullable Node right;
        /** The last round in which it was passed over. */
        private long passed;

        private Node(int slot) {
            this.slot = slot;
        }
    }

    private final SplittableRandom random = new SplittableRandom();
    private Node[] nodes = new Node[64];
    private int made;
    private int[] free = new int[64];
    private int freeSize;
    private @Nullable Node root;
    private int size;
    private long round = 1;

    int size() {
        return size;
    }

    void add(FlowHandle flow) {
        Node node = take(flow);
        Node parent = null;
        Node at = root;
        boolean toLeft = false;
        while (at != null) {
            parent = at;
            toLeft = FlowIds.compare(node.id, at.id) < 0;
            at = toLeft ? at.left : at.right;
        }
        node.parent = parent;
        if (parent == null) {
            root = node;
        } else if (toLeft) {
            parent.left = node;
        } else {
            parent.right = node;
        }
        while (node.parent != null && node.weight < node.parent.weight) {
            rotateUp(node);
        }
        size++;
    }

    void remove(FlowHandle flow) {
        Node node = nodes[flow.slot()];
        while (node.left != null && node.right != null) {
            rotateUp(node.left.weight < node.right.weight ? node.left : node.right);
        }
        Node child = node.left == null ? node.right : node.left;
        if (child != null) {
            child.parent = node.parent;
        }
        replace(node, child);
        size--;
        give(node);
    }

    /** Hides a flow from {@link #after} until {@link #restore}. */
    void setAside(FlowHandle flow) {
        nodes[flow.slot()].passed = round;
    }

    void restore() {
        round++;
    }

    /** The first flow behind an id, from the start again after the last; null when there is none that is not set aside. */
    @Nullable FlowHandle after(@Nullable String id) {
        Node start = id == null ? first() : higher(id);
        if (start == null) {
            start = first();
        }
        Node node = start;
        while (node != null) {
            if (node.passed != round) {
                return node.flow;
            }
            node = next(node);
            if (node == null) {
                node = first();
            }
            if (node == start) {
                return null;
            }
        }
        return null;
    }

    private @Nullable Node first() {
        Node node = root;
        while (node != null && node.left != null) {
            node = node.left;
        }
        return node;
    }

    private @Nullable Node higher(String id) {
        Node best = null;
        Node at = root;
        while (at != null) {
            if (FlowIds.compare(id, at.id) < 0) {
                best = at;
                at = at.left;
            } else {
                at = at.right;
            }
        }
        return best;
    }

    private static @Nullable Node next(Node node) {
        Node at = node.right;
        if (at != null) {
            while (at.left != null) {
                at = at.left;
            }
            return at;
        }
        Node child = node;
        Node parent = node.parent;
        while (parent != null && parent.right == child) {
            child = parent;
            parent = parent.parent;
        }
        return parent;
    }

    /** Swaps a node with its parent, the order kept. */
    private void rotateUp(Node node) {
        Node parent = node.parent;
        if (parent == null) {
            return;
        }
        replace(parent, node);
        node.parent = parent.parent;
        Node moved;
        if (parent.left == node) {
            moved = node.right;
            parent.left = moved;
            node.right = parent;
        } else {
            moved = node.left;
            parent.right = moved;
            node.left = parent;
        }
        if (moved != null) {
            moved.parent = parent;
        }
        parent.parent = node;
    }

    /** Puts a node into the place that another has under its parent. */
    private void replace(Node node, @Nullable Node other) {
        Node parent = node.parent;
        if (parent == null) {
            root = other;
        } else if (parent.left == node) {
            parent.left = other;
        } else {
            parent.right = other;
        }
    }

    private Node take(FlowHandle flow) {
        Node node;
        if (freeSize > 0) {
            node = nodes[free[--freeSize]];
        } else {
            if (made == nodes.length) {
                nodes = Arrays.copyOf(nodes, made * 2);
                free = Arrays.copyOf(free, made * 2);
            }
            node = new Node(made);
            nodes[made++] = node;
        }
        node.flow = flow;
        node.id = flow.fairnessId();
        node.weight = random.nextInt();
        node.passed = 0;
        flow.slot(node.slot);
        return node;
    }

    private void give(Node node) {
        node.flow = null;
        node.parent = null;
        node.left = null;
        node.right = null;
        free[freeSize++] = node.slot;
    }

    /** For tests: the longest way down. */
    int depth() {
        return depth(root);
    }

    private static int depth(@Nullable Node node) {
        return node == null ? 0 : 1 + Math.max(depth(node.left), depth(node.right));
    }
}
