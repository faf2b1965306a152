package io.penstock.proxy.downstream;

/** A client port could not be opened; the message names the listener, its address and the reason. */
public final class ListenException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ListenException(String message, Throwable cause) {
        super(message, cause);
    }
}
