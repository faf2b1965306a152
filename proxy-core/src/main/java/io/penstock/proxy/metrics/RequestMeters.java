package io.penstock.proxy.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.proxy.request.EndCause;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The series of one downstream protocol. Any thread; nothing is allocated once a status class and cause have been seen. */
final class RequestMeters {

    private static final EndCause[] CAUSES = EndCause.values();
    private static final String[] CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

    private final String protocol;
    private final MeterRegistry registry;
    private final AtomicReferenceArray<@Nullable Counter> ends = new AtomicReferenceArray<>(CLASSES.length * CAUSES.length);
    final LongAdder open = new LongAdder();
    final Timings duration = new Timings(Buckets.REQUEST);
    final Timings firstByte = new Timings(Buckets.FIRST_BYTE);

    RequestMeters(String protocol, MeterRegistry registry) {
        this.protocol = protocol;
        this.registry = registry;
    }

    String protocol() {
        return protocol;
    }

    void ended(int status, EndCause cause, long durationNanos, long firstByteNanos) {
        open.decrement();
        duration.record(durationNanos);
        if (firstByteNanos >= 0) {
            firstByte.record(firstByteNanos);
        }
        int statusClass = status >= 100 && status < 600 ? status / 100 : 0;
        int index = statusClass * CAUSES.length + cause.ordinal();
        Counter counter = ends.get(index);
        if (counter == null) {
            counter = Counter.builder("penstock_requests_total")
                    .description("Requests by protocol, class of the status sent (none: the client had no response head) and cause of the "
                            + "end.")
                    .tags("protocol", protocol, "status", CLASSES[statusClass], "cause", cause.label())
                    .register(registry);
            ends.set(index, counter);
        }
        counter.increment();
    }
}
