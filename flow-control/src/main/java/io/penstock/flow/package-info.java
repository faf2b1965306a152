/**
 * The vocabulary of flow control and its ports: what the proxy, the detectors and the policies share with the queueing engine.
 * Nothing here knows a socket, a clock, a thread or a logger.
 */
@NullMarked
package io.penstock.flow;

import org.jspecify.annotations.NullMarked;
