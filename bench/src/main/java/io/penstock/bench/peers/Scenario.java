package io.penstock.bench.peers;

import java.util.Arrays;
import java.util.List;

/** One way to load a target. Immutable. */
enum Scenario {
    CLOSED_8X16("closed-8x16", Load.CLOSED, 8, 16, true, "8 connections x 16 streams, closed loop, 500-byte POST"),
    CLOSED_32X32("closed-32x32", Load.CLOSED, 32, 32, true, "32 connections x 32 streams, closed loop, 500-byte POST"),
    CLOSED_1X1("closed-1x1", Load.CLOSED, 1, 1, true, "one connection, one stream, closed loop, 500-byte POST"),
    RATE("rate-10000", Load.RATE, 8, 10_000, true, "10 000 requests/s on 8 connections, open loop, from the intended start"),
    LATENCY("latency-1x1", Load.LATENCY, 1, 1, true, "one connection, one stream, one request after the other"),
    FIRST_EVENT("sse-first", Load.FIRST_EVENT, 1, 8, true, "8 streams that start together on one connection, time to the first event"),
    SSE_1("sse-1", Load.PACED, 1, 1, false, "1 stream, one event each 10 ms"),
    SSE_100("sse-100", Load.PACED, 4, 100, true, "100 streams on 4 connections, one event each 10 ms"),
    SSE_1000("sse-1000", Load.PACED, 20, 1000, false, "1000 streams on 20 connections, one event each 10 ms"),
    SSE_FLAT("sse-flat", Load.FLAT, 1, 8, true, "8 streams on one connection, events as fast as they are taken");

    /** How the load is made. */
    enum Load { CLOSED, RATE, LATENCY, FIRST_EVENT, PACED, FLAT }

    private final String label;
    private final Load load;
    private final int connections;
    private final int amount;
    private final boolean shortSet;
    private final String title;

    Scenario(String label, Load load, int connections, int amount, boolean shortSet, String title) {
        this.label = label;
        this.load = load;
        this.connections = connections;
        this.amount = amount;
        this.shortSet = shortSet;
        this.title = title;
    }

    String label() {
        return label;
    }

    Load load() {
        return load;
    }

    int connections() {
        return connections;
    }

    /** Streams of each connection (closed loops), streams in all (events), requests/s (rate). */
    int amount() {
        return amount;
    }

    boolean shortSet() {
        return shortSet;
    }

    String title() {
        return title;
    }

    /** Whether it keeps the target's core busy, so that its CPU is far more than a tick of the kernel's clock. */
    boolean fillsTheCore() {
        return load == Load.CLOSED || load == Load.FLAT;
    }

    /** Whether this target is measured so. Without a proxy, a fixed rate or pace says nothing. */
    boolean measures(Target target) {
        if (target.kind() == Kind.DIRECT) {
            return this != CLOSED_32X32 && load != Load.RATE && load != Load.PACED;
        }
        return target.everywhere() || this == CLOSED_8X16 || this == CLOSED_32X32;
    }

    static List<Scenario> of(boolean all) {
        return Arrays.stream(values()).filter(each -> all || each.shortSet).toList();
    }
}
