package io.penstock.proxy.demo;

/**
 * When a simulated request passed its phases, in nanoseconds of the server's clock. Immutable.
 *
 * @param arrived its body was complete
 * @param started it got a slot
 * @param firstToken its first token was made
 * @param ended its last token was made
 */
record SimTimes(long arrived, long started, long firstToken, long ended) {
}
