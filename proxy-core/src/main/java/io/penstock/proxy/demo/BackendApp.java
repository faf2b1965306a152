package io.penstock.proxy.demo;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;

/** What a backend does with requests. Every method is called on the server's one event loop. */
interface BackendApp {

    /** A client connected. */
    default void connected() {
    }

    /** A client's connection ended, whoever ended it. */
    default void disconnected() {
    }

    /** A request's head is there; its body follows. */
    void head(BackendExchange exchange);

    /** A part of the body; the callee only borrows the buffer. */
    void data(BackendExchange exchange, ByteBuf data);

    /** The request is complete. */
    void end(BackendExchange exchange, HttpHeaders trailers);

    /** The client went away before the answer was finished: nothing more can be written. Called at most once. */
    void gone(BackendExchange exchange);

    /** The connection takes data again after {@link BackendExchange#writable()} was false. */
    default void writable(BackendExchange exchange) {
    }
}
