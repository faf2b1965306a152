package io.penstock.bench.scale;

import io.penstock.bench.load.Account;
import io.penstock.bench.load.BackendStub;
import io.penstock.bench.load.Call;
import io.penstock.bench.load.LoadClient;
import io.penstock.bench.load.LoadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    private static final int BATCH = 500;
    private static final int HOUR_MILLIS = 3_600_000;
    /** Backends, files, the ports of operators, the scratch connections of the measurement. */
    private static final int OTHER_DESCRIPTORS = 500;
    private static final Call NOBODY = new Call() {
        @Override
        public void end(int status) {
            // The client goes away before.
        }

        @Override
        public void failed(String why) {
            // It has gone away.
        }
    };

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
                    List<LoadClient> idle = connect(site, counts.get(at));
                    try {
                        each(site, machine, empty, i == 0 ? before : null, counts.get(at), point);
                        Probe.load(site, busy, Probe.small(), BUSY_STREAMS, machine, point);
                    } finally {
                        idle.forEach(LoadClient::close);
                    }
                }
            }
        }
        return points;
    }

    /** In batches, since a client opens its connections one after the other and then waits for all at once. */
    private static List<LoadClient> connect(Site site, int connections) {
        List<LoadClient> clients = new ArrayList<>();
        try {
            for (int left = connections; left > 0; left -= BATCH) {
                clients.add(site.connect(Math.min(left, BATCH)));
            }
            return clients;
        } catch (RuntimeException e) {
            clients.forEach(LoadClient::close);
            throw e;
        }
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
            holder.loop().execute(() -> holder.send(endless, NOBODY));
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
        Account arriving;
        Account leaving;
        try (LoadClient client = site.connect((count + STREAMS - 1) / STREAMS)) {
            arriving = site.account();
            CompletableFuture<Void> sent = new CompletableFuture<>();
            client.loop().execute(() -> {
                for (int i = 0; i < count; i++) {
                    client.send(request, NOBODY);
                }
                sent.complete(null);
            });
            sent.join();
            Probe.await(count + " waiting requests", () -> site.waiting() == count);
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
}
