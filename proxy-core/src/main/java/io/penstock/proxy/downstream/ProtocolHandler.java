package io.penstock.proxy.downstream;

import java.time.Duration;

/** One connection once its protocol is known. Called on the connection's event loop. */
interface ProtocolHandler {

    /** Checks this protocol's time limits. */
    void tick(long now);

    void startDrain(Duration grace);

    /** Resets what is left and closes; returns the number of requests that were reset. */
    int closeNow();

    /** The client's connection takes nothing any more: ends what is left, without further writing. */
    void stalled();
}
