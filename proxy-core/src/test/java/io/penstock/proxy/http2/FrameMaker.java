package io.penstock.proxy.http2;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Makes what a client sends on one connection: in order, or with a few frames, or bytes, that are not. One thread. */
final class FrameMaker {

    private final Random random;
    private final List<WireFrame> frames = new ArrayList<>();
    private final List<Integer> open = new ArrayList<>();
    private int next = 1;

    FrameMaker(long seed) {
        random = new Random(seed);
        frames.add(WireFrame.settings());
    }

    /** A connection's bytes. */
    byte[] wire() {
        int length = 1 + random.nextInt(40);
        for (int i = 0; i < length; i++) {
            step();
        }
        int wrong = Math.max(0, random.nextInt(6) - 2);
        for (int i = 0; i < wrong; i++) {
            int at = random.nextInt(frames.size());
            frames.set(at, mutated(frames.get(at)));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(WireFrame.PREFACE);
        frames.forEach(frame -> frame.write(out));
        byte[] wire = out.toByteArray();
        if (random.nextInt(8) == 0) {
            wire[random.nextInt(wire.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return wire;
    }

    private void step() {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> request();
            case 3, 4, 5, 6 -> body();
            case 7 -> trailers();
            case 8 -> reset();
            case 9 -> frames.add(WireFrame.window(anyStream(), 1 + random.nextInt(100)));
            case 10 -> frames.add(WireFrame.of(FrameType.PRIORITY, 0, anyOpen(), new byte[5]));
            default -> connection();
        }
    }

    private void connection() {
        switch (random.nextInt(3)) {
            case 0 -> frames.add(WireFrame.of(FrameType.PING, 0, 0, new byte[8]));
            case 1 -> frames.add(WireFrame.settings(4, random.nextInt(70_000), 1, random.nextInt(5_000)));
            default -> frames.add(WireFrame.of(20 + random.nextInt(20), random.nextInt(256), anyStream(), new byte[random.nextInt(30)]));
        }
    }

    private int anyStream() {
        return random.nextBoolean() ? 0 : anyOpen();
    }

    private int anyOpen() {
        return open.isEmpty() ? Math.max(1, next - 2) : open.get(random.nextInt(open.size()));
    }

    private void request() {
        int id = next;
        next += 2;
        boolean last = random.nextInt(3) == 0;
        byte[] block = random.nextInt(4) == 0 && !last
                ? WireFrame.block(":method", "POST", ":scheme", "http", ":path", "/" + id, ":authority", "a", "content-length", "100")
                : WireFrame.block(":method", "POST", ":scheme", "http", ":path", "/" + id, ":authority", "a", "x", "y".repeat(
                        random.nextInt(300)));
        header(id, last, block);
        if (!last) {
            open.add(id);
        }
    }

    private void header(int id, boolean last, byte[] block) {
        int flags = last ? FrameType.END_STREAM : 0;
        int parts = 1 + Math.max(0, random.nextInt(6) - 3);
        int from = 0;
        for (int i = 0; i < parts; i++) {
            int to = i == parts - 1 ? block.length : from + random.nextInt(block.length - from + 1);
            int end = i == parts - 1 ? FrameType.END_HEADERS : 0;
            frames.add(WireFrame.of(i == 0 ? FrameType.HEADERS : FrameType.CONTINUATION, end | (i == 0 ? flags : 0), id,
                    Arrays.copyOfRange(block, from, to)));
            from = to;
        }
    }

    private void body() {
        if (open.isEmpty()) {
            return;
        }
        int id = anyOpen();
        boolean last = random.nextInt(4) == 0;
        if (last) {
            open.remove((Integer) id);
        }
        int bytes = 1 + random.nextInt(300);
        if (random.nextInt(4) > 0) {
            frames.add(WireFrame.data(id, bytes, last));
            return;
        }
        byte[] padded = new byte[bytes];
        padded[0] = (byte) random.nextInt(Math.min(bytes, 200));
        frames.add(WireFrame.of(FrameType.DATA, FrameType.PADDED | (last ? FrameType.END_STREAM : 0), id, padded));
    }

    private void trailers() {
        if (!open.isEmpty()) {
            int id = anyOpen();
            open.remove((Integer) id);
            header(id, true, WireFrame.block("x-sum", "1"));
        }
    }

    private void reset() {
        if (!open.isEmpty()) {
            int id = anyOpen();
            open.remove((Integer) id);
            frames.add(WireFrame.of(FrameType.RST_STREAM, 0, id, WireFrame.numbers(8)));
        }
    }

    private WireFrame mutated(WireFrame frame) {
        return switch (random.nextInt(6)) {
            case 0 -> new WireFrame(frame.type(), random.nextInt(256), frame.stream(), frame.payload());
            case 1 -> new WireFrame(random.nextInt(11), frame.flags(), frame.stream(), frame.payload());
            case 2 -> new WireFrame(frame.type(), frame.flags(), random.nextInt(next + 4), frame.payload());
            case 3 -> new WireFrame(frame.type(), frame.flags(), frame.stream(),
                    Arrays.copyOf(frame.payload(), random.nextInt(frame.payload().length + 5)));
            case 4 -> {
                byte[] payload = frame.payload().clone();
                random.nextBytes(payload);
                yield new WireFrame(frame.type(), frame.flags(), frame.stream(), payload);
            }
            default -> frames.get(random.nextInt(frames.size()));
        };
    }
}
