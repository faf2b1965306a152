package io.penstock.bench.headroom;

import java.util.ArrayList;
import java.util.List;

/** Samples of a running cell, for its picture. One thread writes, then one reads. */
final class Series {

    private final List<Point> points = new ArrayList<>();

    /**
     * One moment.
     *
     * @param seconds since the start
     * @param window the sum of all windows
     * @param inFlight the sum of what is in flight
     * @param headroom as last read by any dispatcher; negative before the first one
     * @param refusals so far
     */
    record Point(double seconds, double window, double inFlight, double headroom, double refusals) {
    }

    void add(Point point) {
        points.add(point);
    }

    List<Point> points() {
        return points;
    }
}
