package io.penstock.bench.load;

/** Hears of one answer; exactly one of {@link #end} and {@link #failed} is called, once. Called on the client's event loop. */
public interface Call {

    /** The final status has come. */
    default void head(int status) {
    }

    /** So many bytes of the body have come. */
    default void data(int bytes) {
    }

    /** The last byte has come. */
    void end(int status);

    /** No whole answer will come: a reset, a lost connection, or none that could have taken the request. */
    void failed(String why);
}
