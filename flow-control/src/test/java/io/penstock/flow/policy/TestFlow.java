package io.penstock.flow.policy;

import io.penstock.flow.FlowHandle;
import java.util.ArrayDeque;
import java.util.Deque;

/** A flow as a policy sees it, whose requests are made up; counts how often a policy touches it. */
final class TestFlow implements FlowHandle {

    /** One waiting request. */
    record Head(long arrival, long bytes, long tokens, long submittedNanos) {
    }

    private final String id;
    private final Deque<Head> heads = new ArrayDeque<>();
    private int slot;
    private int touches;

    TestFlow(String id) {
        this.id = id;
    }

    /** One more request, of a byte and a token. */
    TestFlow add(long submittedNanos) {
        return add(submittedNanos, 1, 1);
    }

    TestFlow add(long submittedNanos, long bytes, long tokens) {
        heads.addLast(new Head(submittedNanos, bytes, tokens, submittedNanos));
        return this;
    }

    /** A request whose place in the order of arrival is not that of its submission. */
    TestFlow addArrived(long arrival, long submittedNanos) {
        heads.addLast(new Head(arrival, 1, 1, submittedNanos));
        return this;
    }

    void removeHead() {
        heads.removeFirst();
    }

    Head head() {
        return heads.getFirst();
    }

    int touches() {
        return touches;
    }

    @Override
    public String fairnessId() {
        touches++;
        return id;
    }

    @Override
    public int length() {
        return heads.size();
    }

    @Override
    public long headRank() {
        touches++;
        return 0;
    }

    @Override
    public long headArrival() {
        touches++;
        return head().arrival();
    }

    @Override
    public long headBytes() {
        touches++;
        return head().bytes();
    }

    @Override
    public long headTokens() {
        touches++;
        return head().tokens();
    }

    @Override
    public long headSubmittedNanos() {
        touches++;
        return head().submittedNanos();
    }

    @Override
    public int slot() {
        touches++;
        return slot;
    }

    @Override
    public void slot(int index) {
        touches++;
        slot = index;
    }

    @Override
    public String toString() {
        return id;
    }
}
