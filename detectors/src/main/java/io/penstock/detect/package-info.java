/** Saturation detectors: how loaded a list of model servers is. They see load only through the ports of flow control. */
@NullMarked
package io.penstock.detect;

import org.jspecify.annotations.NullMarked;
