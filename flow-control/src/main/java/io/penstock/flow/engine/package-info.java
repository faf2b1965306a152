/**
 * The queueing engine. Public is only the factory with what it is given; everything else is the engine's own. Producers meet it in
 * {@code Occupancy} and in a band's ingress, both lock-free; everything behind them belongs to one drainer at a time.
 */
@NullMarked
package io.penstock.flow.engine;

import org.jspecify.annotations.NullMarked;
