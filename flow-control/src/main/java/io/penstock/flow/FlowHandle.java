package io.penstock.flow;

/**
 * One flow of a band as its fairness policy sees it: the values of the request at its head, and a place for the policy's own index. Called
 * only by the drainer; the head values are valid while {@link #length()} is above 0.
 */
public interface FlowHandle {

    String fairnessId();

    /** Waiting requests of this flow; one that was cancelled a moment ago may still be among them. */
    int length();

    /** What the band's {@link OrderingPolicy} gave the head; compare by difference. */
    long headRank();

    /** The head's place in the band's order of arrival, from 0 up; no two requests of a band share one. */
    long headArrival();

    /** The head's body bytes. */
    long headBytes();

    /** The head's estimated prompt tokens, 0 where nothing counts them. */
    long headTokens();

    /** When the head was submitted, on the controller's clock. */
    long headSubmittedNanos();

    /**
     * What {@link #slot(int)} was last given; the policy's to use, so that a flow is found in its index without a search. In a flow that it
     * has never seen active it means nothing: an earlier policy of the band may have left it.
     */
    int slot();

    /** Stores the policy's index. */
    void slot(int slot);
}
