package io.penstock.bench.peers;

/** A target that cannot be measured here, such as one that is not installed. The message says why, and what would help. */
final class LeftOut extends Exception {

    private static final long serialVersionUID = 1;

    LeftOut(String message) {
        super(message);
    }
}
