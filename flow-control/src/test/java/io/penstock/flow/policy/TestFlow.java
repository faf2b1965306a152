package io.penstock.flow.policy;

import io.penstock.flow.FlowHandle;
import java.util.ArrayDeque;
import java.util.Deque;

/** A flow as a policy sees it, whose requests are made up; counts how often its head is looked at. */
final class TestFlow implements FlowHandle {

    /** One waiting request. */
    record Head(long rank, long arrival, long bytes, long tokens, long submittedNanos) {
    }

    private final String id;
    private final Deque<Head> heads = new ArrayDeque<>();
    private int slot;
    private int looks;

    TestFlow(String id) {
        this.id = id;
    }

    /** One more request, of a byte and a token. */
    TestFlow add(long submittedNanos) {
        return add(submittedNanos, 1, 1);
    }

    TestFlow add(long submittedNanos, long bytes, long tokens) {
        heads.addLast(new Head(0, submittedNanos, bytes, tokens, submittedNanos));
        return this;
    }

    TestFlow add(Head head) {
        heads.addLast(head);
        return this;
    }

    void removeHead() {
        heads.removeFirst();
    }

    /** How often anything of its head was asked for. */
    int looks() {
        return looks;
    }

    private Head head() {
        looks++;
        return heads.getFirst();
    }

    @Override
    public String fairnessId() {
        return id;
    }

    @Override
    public int length() {
        return heads.size();
    }

    @Override
    public long headRank() {
        return head().rank();
    }

    @Override
    public long headArrival() {
        return head().arrival();
    }

    @Override
    public long headBytes() {
        return head().bytes();
    }

    @Override
    public long headTokens() {
        return head().tokens();
    }

    @Override
    public long headSubmittedNanos() {
        return head().submittedNanos();
    }

    @Override
    public int slot() {
        return slot;
    }

    @Override
    public void slot(int index) {
        slot = index;
    }

    @Override
    public String toString() {
        return id;
    }
}
