package io.penstock.bench.headroom;

/** The connections of one dispatcher to one proxy, or to what has taken its place. One event loop. */
interface Wire {

    /** Begins to connect; once, on the event loop. */
    void open();

    /** Requests that may be sent at once now; 0 while there is no connection. */
    int room();

    /** Sends one; only with room. Nothing of {@code reply} is called before this has returned. */
    Sent send(Request request, Reply reply);

    /** Closes all connections; what is in flight fails. */
    void close();

    /**
     * What a dispatcher sends: a completion for one band.
     *
     * @param objective names the band
     * @param ttlMillis how long it may wait there, 1 or more
     */
    record Request(String objective, long ttlMillis) {
    }

    /** The attempt's end of a request in flight. */
    interface Sent {

        /** Gives the request up; nothing more is said about it. */
        void cancel();
    }

    /** Hears of one request: at most one head, then exactly one end. */
    interface Reply {

        /** The response head has come. */
        void head(Answer answer);

        /** The response is complete, or there will not be one; {@link Outcome#DONE} here means complete, whatever its head said. */
        void end(Outcome outcome);
    }

    /** Hears of the wire as a whole. */
    interface Owner {

        /** All that one read brought has been handed over, or room has come up: a good moment to send. */
        void turn();
    }
}
