package io.penstock.proxy.handler;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.CapacityReader;
import io.penstock.flow.FlowController;
import io.penstock.flow.UsageSink;
import io.penstock.proxy.admitter.AdmitterSet;
import io.penstock.proxy.config.ProxyConfig.Timeouts;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.request.FlowResolver;
import io.penstock.proxy.request.RequestObserver;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the chains of all event loops share. Every part may be called from any of them.
 *
 * @param flow admits
 * @param capacity the controller's counts for the headroom header, null with flow control off
 * @param headroomShortName whether the headroom also goes out under its short name
 * @param onCapacityFailure hears of a failed read of the counts
 * @param bypass picks an endpoint for a request without a body, which no detector counts; null where the pool has none
 * @param flows reads a request's identity
 * @param admitters asked after admission, before anything is forwarded
 * @param usage hears of every admitted request that has ended
 * @param timeouts how long things may take
 * @param maxRequestBodyBytes 413 beyond it
 * @param collection for a configuration that counts tokens; null where no body is collected
 * @param observer hears of every ended request
 * @param forwardEvents hears what happened between chain and backends
 * @param nanoClock the monotonic clock
 */
public record ChainServices(FlowController flow, @Nullable CapacityReader capacity, boolean headroomShortName,
        Consumer<Throwable> onCapacityFailure, Function<AdmissionRequest, @Nullable Endpoint> bypass, FlowResolver flows,
        AdmitterSet admitters, UsageSink usage, Timeouts timeouts, long maxRequestBodyBytes, @Nullable BodyCollection collection,
        RequestObserver observer, ForwardEvents forwardEvents, LongSupplier nanoClock) {
}
