package io.penstock.proxy.e2e;

import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawClient;
import java.io.IOException;

/** The ways in which a client leaves a request behind. No state. */
enum Leaver {
    HTTP2_RESET,
    HTTP2_CLOSE,
    HTTP2_ABORT,
    HTTP2_GOAWAY_AND_CLOSE,
    HTTP1_CLOSE,
    HTTP1_ABORT,
    HTTP1_FIN;

    private boolean http2() {
        return ordinal() <= HTTP2_GOAWAY_AND_CLOSE.ordinal();
    }

    /** Sends a request that will be left. */
    Call call(RunningProxy proxy) throws IOException {
        if (http2()) {
            Http2RawClient client = proxy.http2();
            return new Http2Call(this, client, Calls.post(client));
        }
        Http1RawClient client = proxy.http1();
        Calls.post(client);
        return new Http1Call(this, client);
    }

    /** A request under way. */
    interface Call extends AutoCloseable {

        /** Waits for the response's head. */
        void awaitHead();

        void leave();

        @Override
        void close();
    }

    private record Http2Call(Leaver way, Http2RawClient client, int stream) implements Call {

        @Override
        public void awaitHead() {
            client.responseHeaders(stream);
        }

        @Override
        public void leave() {
            switch (way) {
                case HTTP2_RESET -> client.reset(stream, Http2Frame.CANCEL);
                case HTTP2_CLOSE -> client.close();
                case HTTP2_ABORT -> client.abort();
                case HTTP2_GOAWAY_AND_CLOSE -> {
                    client.goAway(0, Http2Frame.NO_ERROR);
                    client.close();
                }
                default -> throw new AssertionError(way);
            }
        }

        @Override
        public void close() {
            client.close();
        }
    }

    private record Http1Call(Leaver way, Http1RawClient client) implements Call {

        @Override
        public void awaitHead() {
            client.head();
        }

        @Override
        public void leave() {
            switch (way) {
                case HTTP1_CLOSE -> client.close();
                case HTTP1_ABORT -> client.abort();
                case HTTP1_FIN -> client.halfClose();
                default -> throw new AssertionError(way);
            }
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
