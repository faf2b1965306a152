package io.penstock.flow;

import org.jspecify.annotations.Nullable;

/**
 * The last measured saturation: 0.0 idle, 1.0 at the set point, above that overloaded; never clamped.
 *
 * @param prefill of the prefill stage, null when it has no endpoints
 * @param decode of the decode stage, null when it has no endpoints
 * @param effective what dispatch is gated on
 */
public record SaturationView(@Nullable Double prefill, @Nullable Double decode, double effective) {
}
