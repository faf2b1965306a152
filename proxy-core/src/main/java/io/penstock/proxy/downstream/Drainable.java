package io.penstock.proxy.downstream;

import java.time.Duration;

/** How what serves clients comes to its end. Any thread may call; the work is done on the event loops. */
public interface Drainable {

    /**
     * Asks every client to go elsewhere. HTTP/2: GOAWAY that still allows new streams, after {@code grace} GOAWAY with the last stream,
     * and the connection closes when its streams have ended (RFC 9113 section 6.8). HTTP/1.1: {@code connection: close} on the next
     * response; a connection without a request closes after {@code grace}, but not before it has been idle for a second: there is no GOAWAY
     * that would tell its client not to use it, so whoever uses it in that time gets an answer.
     */
    void startDrain(Duration grace);

    /**
     * Ends every request that is left and closes all connections: a request is answered where no response head has gone out, else reset.
     * Waits for the event loops, so it is not called on one.
     *
     * @return how many requests were reset
     */
    int closeNow();

    /** Open client connections. */
    int openConnections();

    /** Requests whose response has not gone out completely. */
    int openRequests();
}
