package io.penstock.proxy.downstream;

import io.penstock.proxy.request.ErrorReply;

/** The answers of the edge to what never becomes a request. */
final class EdgeReplies {

    static final ErrorReply HEADERS_TOO_LARGE = new ErrorReply(431, "The request headers are too many or too large.");
    static final ErrorReply NO_CONNECT = new ErrorReply(403, "CONNECT is not served here.");
    static final ErrorReply NO_UPGRADE = new ErrorReply(403, "Upgrades are not served here.");

    private EdgeReplies() {
    }

    static ErrorReply badRequest(String message) {
        return new ErrorReply(400, message);
    }
}
