package io.penstock.bench.peers;

import java.util.List;

/** What a Penstock target does in another way than by default. Immutable. */
enum Variant {
    PLAIN("", List.of(), "", ""),
    /** Sockets by io_uring and not by epoll; its ring is a descriptor of the process. */
    IO_URING("-uring", List.of("--io-uring"), "", "anon_inode:[io_uring]"),
    /** Object headers of 8 bytes (JEP 519), which the class archive is made with too. */
    COMPACT("-compact", List.of(), "-XX:+UseCompactObjectHeaders", "");

    /** The first release that has compact headers as a product. */
    private static final int COMPACT_FROM = 25;

    private final String suffix;
    private final List<String> arguments;
    private final String javaOptions;
    private final String descriptor;

    Variant(String suffix, List<String> arguments, String javaOptions, String descriptor) {
        this.suffix = suffix;
        this.arguments = arguments;
        this.javaOptions = javaOptions;
        this.descriptor = descriptor;
    }

    /** At the end of a target's name. */
    String suffix() {
        return suffix;
    }

    /** Of {@code penstock serve}. */
    List<String> arguments() {
        return arguments;
    }

    /** PENSTOCK_JAVA_OPTS; empty for none. */
    String javaOptions() {
        return javaOptions;
    }

    /** What the process has open where it is in effect, since the proxy goes on without it; empty where that cannot happen. */
    String descriptor() {
        return descriptor;
    }

    boolean exists(Jdk jdk) {
        return this != COMPACT || jdk.feature() >= COMPACT_FROM;
    }
}
