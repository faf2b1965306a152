package io.penstock.proxy.endpoint;

/** Brings an endpoint's next sample forward. Any thread; never blocks. */
@FunctionalInterface
interface SampleSource {

    /** Nobody scrapes the endpoint. */
    SampleSource NONE = () -> {
    };

    /** Asks for a sample now; the source limits how often it really takes one. */
    void request();
}
