package io.penstock.proxy.http2;

/** Hears of response bytes that leave HTTP/2 flow control for the socket. Called on the connection's event loop. */
@FunctionalInterface
public interface DataObserver {

    void dataWritten(int streamId, int bytes);
}
