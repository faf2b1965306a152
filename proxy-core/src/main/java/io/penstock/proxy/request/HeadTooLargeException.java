package io.penstock.proxy.request;

/** The head is larger than its backend takes: the client's to change, and no fault of the backend. Nothing was sent. */
public final class HeadTooLargeException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    public HeadTooLargeException(String message) {
        super(message);
    }
}
