package io.penstock.proxy.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.proxy.request.EndCause;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The series of one downstream protocol. Any thread; nothing is allocated once a status class and cause have been seen. */
final class RequestMeters {

    private static final EndCause[] CAUSES = EndCause.values();
    private static final String[] CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

    private final String protocol;
    private final MeterRegistry registry;
    private final AtomicReferenceArray<@Nullable LoopCells> ends = new AtomicReferenceArray<>(CLASSES.length * CAUSES.length);
    private final LoopCells open = new LoopCells(1);
    final Timings duration = new Timings(Buckets.REQUEST);
    final Timings firstByte = new Timings(Buckets.FIRST_BYTE);

    RequestMeters(String protocol, MeterRegistry registry) {
        this.protocol = protocol;
        this.registry = registry;
    }

    String protocol() {
        return protocol;
    }

    void started() {
        open.add(0, 1);
    }

    long open() {
        return open.sum(0);
    }

    void ended(int status, EndCause cause, long durationNanos, long firstByteNanos) {
        open.add(0, -1);
        duration.record(durationNanos);
        if (firstByteNanos >= 0) {
            firstByte.record(firstByteNanos);
        }
        int statusClass = status >= 100 && status < 600 ? status / 100 : 0;
        int index = statusClass * CAUSES.length + cause.ordinal();
        LoopCells count = ends.get(index);
        if (count == null) {
            count = register(index, CLASSES[statusClass], cause);
        }
        count.add(0, 1);
    }

    /** Once for each: the registry keeps the first that it is given. */
    private synchronized LoopCells register(int index, String statusClass, EndCause cause) {
        LoopCells known = ends.get(index);
        if (known != null) {
            return known;
        }
        LoopCells made = new LoopCells(1);
        FunctionCounter.builder("penstock_requests_total", made, count -> count.sum(0))
                .description("Requests by protocol, class of the status sent (none: the client had no response head) and cause of the end.")
                .tags("protocol", protocol, "status", statusClass, "cause", cause.label())
                .register(registry);
        ends.set(index, made);
        return made;
    }
}
