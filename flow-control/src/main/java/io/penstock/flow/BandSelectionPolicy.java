package io.penstock.flow;

/**
 * Ranks the bands for the next dispatch (contract section 2; llm-d's proposal of a port of that name). One instance a controller, called
 * by the drainer alone; no method blocks or allocates. The order is a wish: a band with nothing waiting, or whose ceiling is reached, is
 * passed over.
 */
public interface BandSelectionPolicy {

    /** The plugin type, as in the configuration. */
    String type();

    /**
     * Puts the bands into the order in which they may dispatch. Asking has no consequences: only {@link #dispatched} moves a turn on.
     *
     * @param bands all bands, highest priority first
     * @param nowNanos on the controller's clock
     * @param order in: 0 to {@code bands.size() - 1}, which is strict priority; out: a permutation of that. It may be longer than there are
     *         bands; what lies behind is not looked at
     */
    void rank(BandCandidates bands, long nowNanos, int[] order);

    /** A request of this band was dispatched. */
    void dispatched(int priority, long nowNanos);
}
