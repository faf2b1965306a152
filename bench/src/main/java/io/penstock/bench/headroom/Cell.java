package io.penstock.bench.headroom;

import io.netty.util.AsciiString;
import io.penstock.proxy.request.HeaderNames;
import org.jspecify.annotations.Nullable;

/**
 * One combination that is measured. Immutable.
 *
 * @param group the table that it belongs to
 * @param label what the row is called
 * @param law sizes each window
 * @param protocol what dispatchers speak
 * @param dispatchers R, each with its own connections and window
 * @param band limit of the batch band
 * @param load interactive requests offered, as a part of the pool's capacity
 * @param gain of the laws that have one
 * @param reserve the headroom that they leave
 * @param header read as the headroom; null for none
 * @param retryMillis how long a refused request keeps its place in the window, give or take half of it
 * @param service how the pool serves
 * @param times how long it takes
 */
record Cell(String group, String label, Law law, Protocol protocol, int dispatchers, int band, double load, double gain, double reserve,
        @Nullable AsciiString header, int retryMillis, Service service, Times times) {

    /** A cell with the defaults: HTTP/2, gain 1/R, half of the band in reserve, the product's header, 50 ms, a steady pool. */
    static Cell of(String group, Law law, int dispatchers, int band, double load, Times times) {
        return new Cell(group, law.toString(), law, Protocol.HTTP2, dispatchers, band, load, 1.0 / dispatchers, band / 2.0,
                HeaderNames.HEADROOM, Lane.REFUSED_PAUSE_MILLIS, new Service(50, 1, 0), times);
    }

    /**
     * How long a cell takes.
     *
     * @param warmMillis until windows have found their level
     * @param millis measured after that
     */
    record Times(int warmMillis, int millis) {
    }

    /**
     * How the pool serves.
     *
     * @param meanMillis mean service time
     * @param pace speed from the beginning of the measured part on; 1 for no change
     * @param stepMillis answers leave at whole multiples of it only, all model servers together; 0 for any moment
     */
    record Service(double meanMillis, double pace, int stepMillis) {
    }

    Cell named(String name) {
        return new Cell(group, name, law, protocol, dispatchers, band, load, gain, reserve, header, retryMillis, service, times);
    }

    Cell over(Protocol other) {
        return new Cell(group, label, law, other, dispatchers, band, load, gain, reserve, header, retryMillis, service, times);
    }

    Cell tuned(double newGain, double newReserve) {
        return new Cell(group, label, law, protocol, dispatchers, band, load, newGain, newReserve, header, retryMillis, service, times);
    }

    Cell reading(@Nullable AsciiString name) {
        return new Cell(group, label, law, protocol, dispatchers, band, load, gain, reserve, name, retryMillis, service, times);
    }

    Cell serving(double meanMillis) {
        return new Cell(group, label, law, protocol, dispatchers, band, load, gain, reserve, header, retryMillis,
                new Service(meanMillis, service.pace(), service.stepMillis()), times);
    }

    Cell slowingTo(double pace) {
        return new Cell(group, label, law, protocol, dispatchers, band, load, gain, reserve, header, retryMillis,
                new Service(service.meanMillis(), pace, service.stepMillis()), times);
    }

    Cell retrying(int millis) {
        return new Cell(group, label, law, protocol, dispatchers, band, load, gain, reserve, header, millis, service, times);
    }

    Cell inStep(int millis) {
        return new Cell(group, label, law, protocol, dispatchers, band, load, gain, reserve, header, retryMillis,
                new Service(service.meanMillis(), service.pace(), millis), times);
    }

    Cell taking(Times other) {
        return new Cell(group, label, law, protocol, dispatchers, band, load, gain, reserve, header, retryMillis, service, other);
    }

    /** What tells it from every other one. */
    String key() {
        return group + " | " + label + " | " + band + " | " + Math.round(load * 100) + " % | R=" + dispatchers;
    }
}
