package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/** Picks an endpoint and charges it. Called only by the drainer, so that the gate can never be overshot; cheap by contract. */
@FunctionalInterface
public interface Placement {

    /** The charged endpoint, or null when every endpoint that may take the request is full: then it stays where it is. */
    @Nullable
    Lease place(AdmissionRequest request);
}
