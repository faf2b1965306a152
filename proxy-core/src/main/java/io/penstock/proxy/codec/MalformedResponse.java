package io.penstock.proxy.codec;

/** A backend's answer that is not HTTP/1.1; inside the parser only. Without a stack: the message says which rule was broken. */
final class MalformedResponse extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MalformedResponse(String why) {
        super(why, null, false, false);
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
