package io.penstock.proxy.admin;

import java.net.InetSocketAddress;

/** How an address stands in a message. */
final class Addresses {

    private Addresses() {
    }

    /** {@code host:port}, an IPv6 host in brackets, without asking a name service. */
    static String text(InetSocketAddress address) {
        String host = address.getHostString();
        return (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + address.getPort();
    }
}
