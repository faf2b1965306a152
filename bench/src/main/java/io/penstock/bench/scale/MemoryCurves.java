package io.penstock.bench.scale;

import io.penstock.bench.load.Account;
import io.penstock.bench.load.BackendStub;
import io.penstock.bench.load.Call;
import io.penstock.bench.load.LoadClient;
import io.penstock.bench.load.LoadRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Curves of what connections and waiting requests hold. A heap does not shrink, so resident memory for each is taken in the first round
 * only, against the process before any; the live heap after a full collection is taken in every round. Stateless; blocks its caller.
 */
final class MemoryCurves {

    private static final int BUSY_STREAMS = 16;
    /** With fewer, changes of the heap itself, and ticks of the kernel's clock, are larger than what they hold and take. */
    private static final int ENOUGH_FOR_HEAP = 100;
    private static final int ENOUGH_FOR_CPU = 1000;
    private static final int ENOUGH_FOR_RESIDENT = 10_000;
    private static final int STREAMS = 1000;
    private static final int HOUR_MILLIS = 3_600_000;
    /** Backends, files, the ports of operators, the scratch connections of the measurement. */
    private static final int OTHER_DESCRIPTORS = 500;
    private MemoryCurves() {
    }

    static List<Point> connections(Machine machine) {
        List<Integer> counts = List.of(1, 10, 100, 1000, 10_000).stream().filter(count -> fits(count, machine)).toList();
        List<Point> points = counts.stream().map(count -> new Point(Integer.toString(count))).toList();
        try (Site site = Site.start(Layout.PLAIN, machine); LoadClient busy = site.connect(1)) {
            Probe.warm(busy, Probe.small(), BUSY_STREAMS, machine);
            long empty = site.liveHeap(machine);
            Account before = site.account();
            for (int i = 0; i < machine.repeats(); i++) {
                for (int at = 0; at < counts.size(); at++) {
                    Point point = points.get(at);
                    // Javac warns of a resource that is only held.
                    LoadClient idle = site.connect(counts.get(at));
                    try {
                        each(site, machine, empty, i == 0 ? before : null, counts.get(at), point);
                        Probe.load(site, busy, Probe.small(), BUSY_STREAMS, machine, point);
                    } finally {
                        idle.close();
                    }
                }
            }
        }
        return points;
    }

    private static boolean fits(int connections, Machine machine) {
        boolean fits = connections + OTHER_DESCRIPTORS <= machine.descriptors();
        if (!fits) {
            System.err.println("left out: " + connections + " connections need as many descriptors and " + OTHER_DESCRIPTORS
                    + " more, and there are " + machine.descriptors() + " (expected: a higher ulimit -n)");
        }
        return fits;
    }

    private static void each(Site site, Machine machine, long emptyHeap, @Nullable Account before, int count,
            Point point) {
        if (count >= ENOUGH_FOR_HEAP) {
            point.add(Figure.HEAP_EACH, (site.liveHeap(machine) - emptyHeap) / (double) count);
        }
        if (before != null && count >= ENOUGH_FOR_RESIDENT) {
            point.add(Figure.RESIDENT_EACH, (site.account().residentKiB() - before.residentKiB()) * 1024.0 / count);
        }
    }

    /** The gate is closed by one request that never ends; the others wait behind it, on connections of a thousand streams. */
    static List<Point> waiting(Machine machine) {
        List<Integer> counts = List.of(100, 1000, 10_000, 100_000);
        List<Point> points = counts.stream().map(count -> new Point(Integer.toString(count))).toList();
        LoadRequest endless = LoadRequest.post(BackendStub.completionPath(HOUR_MILLIS), Probe.SMALL_BODY);
        Layout layout = Layout.PLAIN.withAtOnce(1).withStreams(STREAMS);
        try (Site site = Site.start(layout, machine); LoadClient holder = site.connect(1)) {
            Probe.warm(holder, Probe.small(), BUSY_STREAMS, machine);
            Held gate = new Held();
            long answered = site.requests();
            holder.loop().execute(() -> holder.send(endless, gate));
            Probe.await("the request that closes the gate", () -> gate.open() && site.requests() > answered);
            // Once without figures, for the JIT.
            hold(site, machine, 10_000, 0, null, new Point("warm"));
            long empty = site.liveHeap(machine);
            Account before = site.account();
            for (int i = 0; i < machine.repeats(); i++) {
                for (int at = 0; at < counts.size(); at++) {
                    hold(site, machine, counts.get(at), empty, i == 0 ? before : null, points.get(at));
                }
            }
        }
        return points;
    }

    private static void hold(Site site, Machine machine, int count, long empty, @Nullable Account before,
            Point point) {
        LoadRequest request = Probe.small().get(0);
        Held held = new Held();
        Account arriving;
        Account leaving;
        try (LoadClient client = site.connect((count + STREAMS - 1) / STREAMS)) {
            arriving = site.account();
            client.loop().execute(() -> {
                for (int i = 0; i < count; i++) {
                    client.send(request, held);
                }
            });
            Probe.await(count + " waiting requests", () -> held.open() && site.waiting() == count);
            long taken = site.account().cpuMicrosSince(arriving);
            if (count >= ENOUGH_FOR_CPU) {
                point.add(Figure.TAKEN, taken / (double) count);
            }
            each(site, machine, empty, before, count, point);
            leaving = site.account();
            point.add(Figure.RESIDENT, leaving.residentKiB() / 1024.0);
        }
        Probe.await("no waiting request", () -> site.waiting() == 0);
        if (count >= ENOUGH_FOR_CPU) {
            point.add(Figure.LEFT, site.account().cpuMicrosSince(leaving) / (double) count);
        }
    }

    /** Requests that are to stay open until their client goes away; the first one that ends before is remembered. Any thread. */
    private static final class Held implements Call {
        private volatile String ended = "";

        /** @throws IllegalStateException where one has ended */
        boolean open() {
            if (!ended.isEmpty()) {
                throw new IllegalStateException("a request that was to wait: " + ended + " (expected: no answer)");
            }
            return true;
        }

        @Override
        public void end(int status) {
            ended = "status " + status;
        }

        @Override
        public void failed(String why) {
            ended = why;
        }
    }
}
