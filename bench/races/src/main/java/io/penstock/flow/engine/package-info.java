/** Races of the engine's own classes: which outcomes two or three threads may see, and which never. In their package to reach them. */
@NullMarked
package io.penstock.flow.engine;

import org.jspecify.annotations.NullMarked;
