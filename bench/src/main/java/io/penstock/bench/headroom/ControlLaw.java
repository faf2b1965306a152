package io.penstock.bench.headroom;

/**
 * Sizes one window of one dispatcher from the answers it gets. Knows no clock, no socket and no other dispatcher. One thread, the
 * dispatcher's own.
 */
interface ControlLaw {

    /** A request is sent while fewer than this many are in flight; 1 or more, so that there always is somebody to bring an answer. */
    double window();

    /** Takes one answer in; the requests that it allows are sent afterwards, for all answers of one read at once. */
    void answered(Answer answer, Flight flight);

    /**
     * Where an answer stands in the stream of requests.
     *
     * @param inFlight requests in flight, the answered one included
     * @param number the answered request's number, from 0 in the order of sending
     * @param next the number that the next request will get: everything below it was sent before this answer was read
     */
    record Flight(int inFlight, long number, long next) {
    }
}
