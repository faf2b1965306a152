package io.penstock.proxy.admitter;

import org.jspecify.annotations.Nullable;

/**
 * Looks at a request once, after flow control has let it go and before it is forwarded (spec/flow-control section 8). Called on any event
 * loop, by several at a time: never blocks, and allocates nothing for a request that it does not concern.
 */
public interface Admitter {

    /** The plugin's name. */
    String name();

    /** Why the request must not run, or null to let it go on. */
    @Nullable
    Denial deny(AdmittedRequest request);
}
