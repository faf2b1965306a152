package io.penstock.proxy.upstream;

import io.netty.channel.epoll.Epoll;
import io.penstock.proxy.net.Transport;
import java.util.stream.Stream;

/** The transports that every test runs on. */
final class Transports {

    private Transports() {
    }

    static Stream<Transport> all() {
        return Epoll.isAvailable() ? Stream.of(Transport.detect(false), Transport.nio()) : Stream.of(Transport.nio());
    }
}
