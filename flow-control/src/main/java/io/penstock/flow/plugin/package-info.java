/** Reads plugins' parameters, for detectors and policies alike, and says everything that is wrong with them at once. */
@NullMarked
package io.penstock.flow.plugin;

import org.jspecify.annotations.NullMarked;
