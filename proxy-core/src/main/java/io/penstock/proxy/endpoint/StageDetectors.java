package io.penstock.proxy.endpoint;

import io.penstock.flow.SaturationDetector;

/**
 * The detectors by which placement ranks endpoints and whose limits per endpoint it keeps. Immutable.
 *
 * @param prefill the prefill stage's
 * @param decode the decode stage's, and that of a pool without stages
 */
public record StageDetectors(SaturationDetector prefill, SaturationDetector decode) {

    /** One for both. */
    public static StageDetectors both(SaturationDetector detector) {
        return new StageDetectors(detector, detector);
    }
}
