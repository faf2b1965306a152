package io.penstock.proxy.metrics;

/** Upper bounds of histogram buckets, in seconds (spec/flow-control section 10, spec/routing 6.1). Immutable by convention. */
final class Buckets {

    /** A: how long requests wait. */
    static final double[] WAIT = {.0001, .0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60};
    /** B: how long a decision takes. */
    static final double[] DECISION = {.0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1};
    /** C: how long a revoked request takes to end. */
    static final double[] REVOCATION = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};
    /** LAT: how long a request takes, up to an hour. */
    static final double[] REQUEST = {.005, .025, .05, .1, .2, .4, .6, .8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 120, 180,
        240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600};
    /** LAT as far as a first byte goes. */
    static final double[] FIRST_BYTE = {.005, .025, .05, .1, .2, .4, .6, .8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 120};
    /** What the proxy itself needs, from a microsecond up. */
    static final double[] OWN = {.000001, .000002, .000005, .00001, .00002, .00005, .0001, .0002, .0005, .001, .005, .025, .1};
    /** Connection establishment. */
    static final double[] CONNECT = {.0001, .0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2};

    private Buckets() {
    }
}
