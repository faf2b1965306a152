package io.penstock.proxy.downstream;

import io.penstock.proxy.net.Transport;

class Http1NioTest extends Http1Contract {

    Http1NioTest() {
        super(Transport.nio());
    }
}
