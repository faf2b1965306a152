package io.penstock.bench.headroom;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One dispatcher, as a process of its own would be: its connections, and one window for each band that it sends to. Everything happens on
 * its event loop; {@link #open}, {@link #start} and {@link #close} are called there too.
 */
final class Dispatcher implements Wire.Owner {

    private final EventLoop loop;
    private final Wire wire;
    private final List<Lane> lanes = new ArrayList<>();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private boolean started;

    Dispatcher(EventLoop loop, Protocol protocol, WireSettings settings) {
        this.loop = loop;
        wire = protocol.wire(loop, settings, this);
    }

    /** Adds a band. */
    Lane lane(Lane.Plan plan, Account account, Consumer<Answer> heads, long seed) {
        Lane lane = new Lane(loop, wire, plan, account, heads, seed);
        lanes.add(lane);
        return lane;
    }

    /** Begins to connect; on the event loop. */
    void open() {
        wire.open();
    }

    List<Lane> lanes() {
        return lanes;
    }

    /** Completed once requests can be sent. */
    CompletableFuture<Void> connected() {
        return connected;
    }

    void start() {
        started = true;
        turn();
    }

    @Override
    public void turn() {
        if (wire.room() > 0) {
            connected.complete(null);
        }
        if (started) {
            lanes.forEach(Lane::pump);
        }
    }

    void close() {
        wire.close();
    }
}
