/** Tests of the engine: every queueing rule on one thread with a manual clock, and the races on several. */
@NullMarked
package io.penstock.flow.engine;

import org.jspecify.annotations.NullMarked;
