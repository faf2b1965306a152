package io.penstock.bench.scale;

import io.penstock.bench.load.LoadClient;
import io.penstock.bench.load.LoadRequest;
import io.penstock.proxy.request.HeaderNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Curves of what a request costs while something beside it grows. Stateless; blocks its caller. */
final class LoadCurves {

    private static final int CONNECTIONS = 8;
    private static final int CONCURRENCY = 128;
    private static final int GATED = 32;

    private LoadCurves() {
    }

    static List<Point> loops(Machine machine) {
        return IntStream.of(1, 2).filter(loops -> loops <= machine.cores()).mapToObj(loops ->
                plain(Layout.PLAIN.withLoops(loops), Integer.toString(loops), Probe.small(), machine)).toList();
    }

    static List<Point> endpoints(Machine machine) {
        return IntStream.of(1, 10, 100, 1000).mapToObj(endpoints ->
                plain(Layout.PLAIN.withEndpoints(endpoints), Integer.toString(endpoints), Probe.small(), machine)).toList();
    }

    static List<Point> bands(Machine machine) {
        return IntStream.of(1, 8, 64).mapToObj(bands -> plain(Layout.PLAIN.withBands(bands), Integer.toString(bands),
                requests(HeaderNames.OBJECTIVE.toString(), bands, i -> Layout.objective(i + 1)), machine)).toList();
    }

    /** A process of its own for one point. */
    private static Point plain(Layout layout, String at, List<LoadRequest> requests, Machine machine) {
        Point point = new Point(at);
        try (Site site = Site.start(layout, machine); LoadClient client = site.connect(CONNECTIONS)) {
            Probe.warm(client, requests, CONCURRENCY, machine);
            for (int i = 0; i < machine.repeats(); i++) {
                Probe.idle(site, machine, point);
                Probe.load(site, client, requests, CONCURRENCY, machine, point);
            }
        }
        return point;
    }

    /** Fewer run at a time than are offered, so the others wait, each in its flow. */
    static List<Point> flows(Machine machine) {
        List<Integer> counts = List.of(1, 10, 100, 1000, 10_000);
        List<Point> points = counts.stream().map(flows -> new Point(Integer.toString(flows))).toList();
        List<LoadRequest> all = requests(HeaderNames.FAIRNESS_ID.toString(), 10_000, i -> "tenant-" + i);
        try (Site site = Site.start(Layout.PLAIN.withAtOnce(GATED), machine); LoadClient client = site.connect(CONNECTIONS)) {
            Probe.warm(client, all, CONCURRENCY, machine);
            for (int i = 0; i < machine.repeats(); i++) {
                for (int at = 0; at < counts.size(); at++) {
                    Probe.load(site, client, all.subList(0, counts.get(at)), CONCURRENCY, machine, points.get(at));
                }
            }
        }
        return points;
    }

    /** One connection, so that a turn of the loop has as much to do as it has streams. */
    static List<Point> streams(Machine machine) {
        List<Integer> counts = List.of(1, 8, 32, 100);
        List<Point> points = counts.stream().map(streams -> new Point(Integer.toString(streams))).toList();
        try (Site site = Site.start(Layout.PLAIN, machine); LoadClient client = site.connect(1)) {
            Probe.warm(client, Probe.small(), counts.get(counts.size() - 1), machine);
            for (int i = 0; i < machine.repeats(); i++) {
                for (int at = 0; at < counts.size(); at++) {
                    Probe.load(site, client, Probe.small(), counts.get(at), machine, points.get(at));
                }
            }
        }
        return points;
    }

    static List<Point> bodies(Machine machine) {
        List<Body> bodies = List.of(new Body("0.5 KB", 500, 64), new Body("64 KB", 65_536, 16), new Body("1 MB", 1 << 20, 8),
                new Body("8 MB", 8 << 20, 4));
        List<Point> points = bodies.stream().map(body -> new Point(body.at())).toList();
        try (Site site = Site.start(Layout.PLAIN, machine); LoadClient client = site.connect(4)) {
            Probe.warm(client, Probe.small(), CONCURRENCY, machine);
            Probe.warm(client, bodies.get(1).requests(), bodies.get(1).concurrency(), machine);
            for (int i = 0; i < machine.repeats(); i++) {
                for (int at = 0; at < bodies.size(); at++) {
                    Point point = points.get(at);
                    Body body = bodies.get(at);
                    Probe.load(site, client, body.requests(), body.concurrency(), machine, point);
                    double rate = point.values(Figure.RATE).get(i);
                    point.add(Figure.MEGABYTES, rate * body.bytes() / 1e6);
                    point.add(Figure.CPU_MEGABYTE, point.values(Figure.CPU).get(i) / (body.bytes() / 1e6));
                }
            }
        }
        return points;
    }

    private record Body(String at, int bytes, int concurrency) {
        List<LoadRequest> requests() {
            return List.of(LoadRequest.post("/v1/completions", bytes));
        }
    }

    private static List<LoadRequest> requests(String header, int count, IntFunction<String> value) {
        List<LoadRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(LoadRequest.post("/v1/completions", Probe.SMALL_BODY, Map.of(header, value.apply(i))));
        }
        return requests;
    }
}
