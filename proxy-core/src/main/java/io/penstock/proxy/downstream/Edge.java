package io.penstock.proxy.downstream;

import io.penstock.proxy.config.ProxyConfig;
import io.penstock.proxy.net.RateLimitedLog;
import java.util.function.LongSupplier;

/**
 * What every client connection needs to know. Immutable.
 *
 * @param limits sizes and counts
 * @param timings durations
 * @param connections the process's count
 * @param events counters
 * @param log for what clients do wrong
 * @param clock nanoseconds
 */
record Edge(ProxyConfig.Limits limits, EdgeTimings timings, ConnectionLimit connections, ConnectionEvents events, RateLimitedLog log,
        LongSupplier clock) {
}
