package io.penstock.proxy.demo;

import java.util.random.RandomGenerator;

/**
 * What all requests of one simulated server share. Only its event loop uses it.
 *
 * @param options how it behaves
 * @param engine its slots
 * @param metrics its metrics page
 * @param clock its time and timers
 * @param random its dice
 * @param http writes its answers
 */
record SimWorld(SimOptions options, SimEngine engine, SimMetrics metrics, SimClock clock, RandomGenerator random, SimHttp http) {
}
