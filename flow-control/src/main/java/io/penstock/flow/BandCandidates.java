package io.penstock.flow;

/** All bands as a {@link BandSelectionPolicy} sees them, highest priority first; valid during one call. Drainer only. */
public interface BandCandidates {

    /** How many bands there are. */
    int size();

    int priority(int index);

    /** Whether something waits in it. */
    boolean waiting(int index);

    /** Whether saturation is below its ceiling. */
    boolean open(int index);

    /** When the request at its head was submitted, on the controller's clock; meaningful only while something waits in it. */
    long headSubmittedNanos(int index);
}
