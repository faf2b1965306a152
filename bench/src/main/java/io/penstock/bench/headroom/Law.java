package io.penstock.bench.headroom;

import java.util.Locale;

/** The control laws that can be asked for by name. */
enum Law {
    BLIND, AIMD, CAPPED, CREDIT, LEVEL;

    /** Workers of all blind dispatchers together: more than pool and band can hold. */
    static final int BLIND_WORKERS = 256;

    /**
     * Makes one window's law.
     *
     * @param dispatchers how many share the band, 1 or more
     * @param gain of {@link #CREDIT} and {@link #LEVEL}
     * @param reserve of the same, in requests
     */
    ControlLaw make(int dispatchers, double gain, double reserve) {
        return switch (this) {
            case BLIND -> new BlindLaw(BLIND_WORKERS / dispatchers);
            case AIMD -> new AimdLaw();
            case CAPPED -> new CappedLaw();
            case CREDIT -> new CreditLaw(gain, reserve);
            case LEVEL -> new LevelLaw(gain, reserve);
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
