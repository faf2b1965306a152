package io.penstock.proxy;

import io.penstock.proxy.codec.Abuse;
import io.penstock.proxy.downstream.ConnectionEvents;
import io.penstock.proxy.downstream.ConnectionFault;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.ScrapeEvents;
import io.penstock.proxy.handler.ForwardEvents;
import io.penstock.proxy.metrics.PoolMeters;
import io.penstock.proxy.metrics.ProxyMeters;
import io.penstock.proxy.net.RateLimitedLog;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.upstream.UpstreamEvents;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.WeakHashMap;
import org.slf4j.Logger;

/** Carries what each side reports into the metrics, which none of them knows. Any thread. */
final class EventBridges {

    private EventBridges() {
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    static ConnectionEvents connections(ProxyMeters meters) {
        return new ConnectionEvents() {
            @Override
            public void opened(String listener) {
                meters.connectionOpened();
            }

            @Override
            public void closed(String listener) {
                meters.connectionClosed();
            }

            @Override
            public void fault(ConnectionFault fault) {
                meters.connectionFault(label(fault));
                if (fault == ConnectionFault.CONNECTION_LIMIT) {
                    meters.connectionRefused();
                }
            }

            @Override
            public void abuse(Abuse kind) {
                meters.connectionAbuse(label(kind));
            }

            @Override
            public void refused(int status) {
                meters.refusedBeforeHandlers(status);
            }
        };
    }

    static UpstreamEvents upstream(ProxyMeters meters) {
        return new UpstreamEvents() {
            @Override
            public void connected(Endpoint endpoint, long nanos) {
                meters.upstreamOpened(nanos);
            }

            @Override
            public void closed(Endpoint endpoint) {
                meters.upstreamClosed();
            }
        };
    }

    static ForwardEvents forward(ProxyMeters meters, RateLimitedLog log) {
        return new ForwardEvents() {
            @Override
            public void failed(Endpoint endpoint, UpstreamFault fault) {
                meters.upstreamFault(fault.kind());
            }

            @Override
            public void replayed(Endpoint failed) {
                meters.retried();
            }

            @Override
            public void timedOut(RequestContext context, String timer) {
                meters.timedOut(timer);
                log.warn("request " + context.requestId() + " ended by the timer " + timer + " in phase " + context.phase());
            }
        };
    }

    /** Misses in a row before an endpoint's metrics are said to be missing: one alone is a start, a stop or a busy moment. */
    private static final int MISSES = 3;

    /** One line when an endpoint's metrics are missing, and one when they are back. */
    static ScrapeEvents scrapes(PoolMeters meters, Logger log) {
        Map<Endpoint, Integer> missed = Collections.synchronizedMap(new WeakHashMap<>());
        return new ScrapeEvents() {
            @Override
            public void pollFailed(Endpoint endpoint, String reason) {
                meters.pollError("metrics-data-source");
                if (missed.merge(endpoint, 1, Integer::sum) == MISSES) {
                    log.warn("{}: its metrics cannot be read: {}", endpoint, reason);
                }
            }

            @Override
            public void extractFailed(Endpoint endpoint, String family) {
                meters.extractError("metrics-data-source", "core-metrics-extractor");
                if (missed.merge(endpoint, 1, Integer::sum) == MISSES) {
                    log.warn("{}: its metrics lack {}", endpoint, family);
                }
            }

            @Override
            public void sampled(Endpoint endpoint, long nanos) {
                Integer misses = missed.remove(endpoint);
                if (misses != null && misses >= MISSES) {
                    log.info("{}: its metrics are read again", endpoint);
                }
            }
        };
    }
}
