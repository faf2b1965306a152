package io.penstock.proxy.demo;

/** Carries an error answer out of reading and checking a request; stackless, since it is an answer and not a fault. */
final class SimRefusal extends Exception {

    private static final long serialVersionUID = 1;

    private final transient SimError error;

    SimRefusal(int status, String message) {
        super(message, null, false, false);
        this.error = new SimError(status, message);
    }

    SimError error() {
        return error;
    }
}
