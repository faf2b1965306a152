package io.penstock.flow.model;

import java.util.Set;

/** One of the two that play a script: the engine or the model. One thread. */
interface Side {

    void submit(Step.Submit request);

    /** The client gives the request up. */
    void cancel(int id);

    /** The request's response has ended. */
    void close(int id);

    /** The endpoint of a dispatched request failed: its lease is closed and the request waits once more, under another id. */
    void again(int id, int newId, boolean elsewhere);

    void advance(long nanos);

    void tick();

    /** @param detector 0 the default one, 1 prefill's, 2 decode's */
    void saturate(int detector, double value);

    /** @param members one bit an endpoint */
    void pool(int members);

    /** The most requests that an endpoint takes. */
    void limit(int requests);

    void provision(Set<Integer> priorities);

    /** Keeps wanted bands from being made. */
    void hold(boolean held);

    /** The owner runs what it was given. */
    void run(int owner);

    /** The owner takes nothing any more. */
    void refuse(int owner);

    void beginDrain();

    void shutdown();

    void reload(Setup other);

    /** Everything that can be seen from outside, and what was heard since the last call. */
    Seen seen();
}
