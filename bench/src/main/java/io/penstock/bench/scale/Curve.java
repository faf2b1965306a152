package io.penstock.bench.scale;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** What may grow, and how it is measured. */
enum Curve {
    LOOPS("event loops", "8 connections x 16 streams, 500-byte POST; with more than one loop the load shares their cores",
            LoadCurves::loops),
    CONNECTIONS("idle HTTP/2 connections", "beside one connection with 16 streams", MemoryCurves::connections),
    STREAMS("streams of one connection", "500-byte POST", LoadCurves::streams),
    ENDPOINTS("model servers", "8 connections x 16 streams; each server is scraped every 50 ms", LoadCurves::endpoints),
    BANDS("priority bands", "8 connections x 16 streams, all bands in turn", LoadCurves::bands),
    FLOWS("flows", "8 connections x 16 streams, 32 at a time run and the others wait, all fairness ids in turn", LoadCurves::flows),
    WAITING("waiting requests", "500-byte POST behind a closed gate, 1000 streams a connection", MemoryCurves::waiting),
    BODIES("size of request bodies", "4 connections; 64, 16, 8 and 4 requests at a time", LoadCurves::bodies);

    private final String axis;
    private final String load;
    private final Function<Machine, List<Point>> measure;

    Curve(String axis, String load, Function<Machine, List<Point>> measure) {
        this.axis = axis;
        this.load = load;
        this.measure = measure;
    }

    /** As {@code --only} names it. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    String axis() {
        return axis;
    }

    String load() {
        return load;
    }

    /** Starts what it needs, measures all points, and ends what it started; minutes. */
    List<Point> measure(Machine machine) {
        return measure.apply(machine);
    }
}
