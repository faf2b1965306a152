package io.penstock.detect;

import io.penstock.flow.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Where detectors tell what they saw, for metrics and logs. A stage is null where the pool is not split into stages. Called on the thread
 * that asks the detector, at every call: implementations are quick, allocate nothing, never block and never throw.
 */
public interface DetectorEvents {

    /** Tells nobody. */
    DetectorEvents NONE = new DetectorEvents() {
    };

    /**
     * A utilization detector was asked about a list of endpoints.
     *
     * @param endpoints how many of them had no fresh sample; 0 for an empty list
     * @param nowNanos the time that it was asked with
     */
    default void stale(String detector, @Nullable Stage stage, int endpoints, long nowNanos) {
    }

    /** A child of a {@code max-saturation-detector} was asked; 1.0 where it failed. */
    default void measured(String detector, @Nullable Stage stage, double saturation) {
    }

    /** Nobody asks that detector about the stage any more: its series go. */
    default void left(String detector, @Nullable Stage stage) {
    }

    /** A child of a {@code max-saturation-detector} threw. */
    default void failed(String detector, Throwable cause) {
    }
}
