package io.penstock.proxy.http2;

import static io.penstock.proxy.http2.SessionHarness.bytes;
import static io.penstock.proxy.http2.SessionHarness.head;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.util.LeakPresenceDetector;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Responses of any size while windows grow and shrink: a client's account of both windows is never overdrawn, and all arrives. */
class SendFlowFuzzTest {

    private static final int STREAMS = 8;

    private final Map<Integer, Long> windows = new HashMap<>();
    private final Map<Integer, Long> got = new HashMap<>();
    private final Map<Integer, Long> handed = new HashMap<>();
    private final Map<Integer, String> ends = new HashMap<>();
    private long connection;
    private int initial;
    private SessionHarness server;
    private Random random;

    @AfterAll
    static void noBufferIsLeft() {
        LeakPresenceDetector.check();
    }

    @Test
    void noWindowIsOverdrawnAndAllArrives() {
        for (int seed = 1; seed <= 60; seed++) {
            round(seed);
        }
    }

    private void round(int seed) {
        windows.clear();
        got.clear();
        handed.clear();
        ends.clear();
        random = new Random(seed);
        connection = SessionOptions.DEFAULT_WINDOW;
        initial = 1 + random.nextInt(100_000);
        server = SessionHarness.server(4, initial);
        for (int i = 0; i < STREAMS; i++) {
            int id = 2 * i + 1;
            server.feed(WireFrame.get(id));
            windows.put(id, (long) initial);
            handed.put(id, 0L);
            got.put(id, 0L);
            server.session.writeHeaders(server.stream(id), head("200"), false);
        }
        for (int step = 0; step < 80; step++) {
            step(2 * random.nextInt(STREAMS) + 1);
            take(seed);
        }
        finish(seed);
        server.close();
    }

    private void step(int id) {
        SessionStream stream = server.stream(id);
        switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> {
                if (!ends.containsKey(id)) {
                    int size = random.nextInt(random.nextBoolean() ? 200 : 60_000);
                    handed.merge(id, (long) size, Long::sum);
                    server.session.writeData(stream, bytes(size), false);
                }
            }
            case 4 -> end(id);
            case 5 -> grant(0, 1 + random.nextInt(40_000));
            case 6 -> grant(id, 1 + random.nextInt(40_000));
            default -> settings(random.nextInt(100_000));
        }
    }

    private void end(int id) {
        SessionStream stream = server.stream(id);
        if (ends.containsKey(id)) {
            return;
        }
        switch (random.nextInt(3)) {
            case 0 -> {
                ends.put(id, "data");
                server.session.writeData(stream, bytes(0), true);
            }
            case 1 -> {
                ends.put(id, "trailers");
                server.session.writeHeaders(stream, new DefaultHttp2Headers(false).add("x-sum", "1"), true);
            }
            default -> {
                ends.put(id, "reset");
                server.session.reset(stream, Http2Error.CANCEL);
            }
        }
    }

    /** The increment is known before anything that it allows can have been sent. */
    private void grant(int id, int increment) {
        if (id == 0) {
            connection += increment;
        } else {
            windows.merge(id, (long) increment, Long::sum);
        }
        server.feed(WireFrame.window(id, increment));
    }

    private void settings(int size) {
        if (initial == size || random.nextInt(4) > 0) {
            return;
        }
        server.turn();
        take(0);
        int change = size - initial;
        initial = size;
        windows.replaceAll((id, window) -> window + change);
        server.feed(WireFrame.settings(4, size));
    }

    private void take(int seed) {
        for (WireFrame frame : server.turn().sent()) {
            int id = frame.stream();
            if (frame.type() == FrameType.DATA) {
                int size = frame.payload().length;
                connection -= size;
                windows.merge(id, (long) -size, Long::sum);
                got.merge(id, (long) size, Long::sum);
                assertThat(connection).as("seed %d: connection", seed).isNotNegative();
                assertThat(size == 0 || windows.get(id) >= 0).as("seed %d: stream %d", seed, id).isTrue();
                assertThat(size).isLessThanOrEqualTo(FrameType.MAX_PAYLOAD);
            }
            if (frame.last() && frame.type() <= FrameType.HEADERS) {
                assertThat(got.get(id)).as("seed %d: stream %d", seed, id).isEqualTo(handed.get(id));
            }
        }
    }

    private void finish(int seed) {
        for (int id = 1; id < 2 * STREAMS; id += 2) {
            end(id);
            if (!server.stream(id).closed()) {
                grant(id, 1 << 28);
            }
        }
        for (int i = 0; i < 4; i++) {
            grant(0, 1 << 24);
            take(seed);
        }
        assertThat(server.failure).as("seed %d", seed).isNull();
        assertThat(server.session.activeStreams()).as("seed %d", seed).isZero();
        ends.forEach((id, how) -> assertThat(how.equals("reset") || got.get(id).equals(handed.get(id))).as("seed %d: stream %d", seed, id)
                .isTrue());
    }
}
