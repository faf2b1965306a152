package io.penstock.proxy.upstream;

import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.testkit.Http2RawBackend;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/** A raw h2c backend as an endpoint. */
record Http2Backend(Http2RawBackend raw, Endpoint endpoint) implements Closeable {

    static final int MAX_CONCURRENT_STREAMS = 3;
    static final int INITIAL_WINDOW_SIZE = 4;

    static Http2Backend of(Http2RawBackend raw) {
        return new Http2Backend(raw, new Endpoint(new EndpointSpec("default", "raw", "127.0.0.1", raw.port(), Map.of())));
    }

    static Http2Backend of(Http2RawBackend.Script script) throws IOException {
        return of(new Http2RawBackend(script));
    }

    /** One that answers every complete request. */
    static Http2Backend answering(String body) throws IOException {
        return of(Http2RawBackend.answering(body));
    }

    int accepted() {
        return raw.accepted();
    }

    @Override
    public void close() throws IOException {
        raw.close();
    }
}
