package io.penstock.proxy;

/** The proxy could not start; nothing of it is left running. The message is for the person who started it. */
public final class StartException extends Exception {

    private static final long serialVersionUID = 1L;

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
