package io.penstock.proxy.downstream;

import io.penstock.proxy.net.Transport;

class Http1NativeTest extends Http1Contract {

    Http1NativeTest() {
        super(Transport.detect(false));
    }
}
