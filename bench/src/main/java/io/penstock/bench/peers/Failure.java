package io.penstock.bench.peers;

/** A measurement that does not count: answers were missing or wrong, or a process has ended. The message says which. */
final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1;

    Failure(String message) {
        super(message);
    }
}
