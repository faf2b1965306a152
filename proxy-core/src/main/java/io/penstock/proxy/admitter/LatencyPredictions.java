package io.penstock.proxy.admitter;

import io.penstock.flow.EndpointView;

/** What a latency predictor says of one request on each endpoint. Any thread; never blocks. */
@FunctionalInterface
public interface LatencyPredictions {

    /** What is predicted for one request on one endpoint. */
    enum Prediction {
        /** Nothing is known. */
        NONE,
        /** The request's objectives would be met. */
        MEETS,
        /** One of them would not. */
        MISSES
    }

    /** Predicts nothing. Nothing in this process predicts latencies yet. */
    LatencyPredictions NONE = (request, endpoint) -> Prediction.NONE;

    Prediction of(AdmittedRequest request, EndpointView endpoint);
}
