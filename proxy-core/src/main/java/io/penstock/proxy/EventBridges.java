package io.penstock.proxy;

import io.penstock.proxy.http2.Abuse;
import io.penstock.proxy.downstream.ConnectionEvents;
import io.penstock.proxy.downstream.ConnectionFault;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.handler.ForwardEvents;
import io.penstock.proxy.metrics.ProxyMeters;
import io.penstock.proxy.net.RateLimitedLog;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.upstream.UpstreamEvents;
import java.util.Locale;

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
}
