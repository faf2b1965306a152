package io.penstock.proxy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DemoWaveTest {

    private static final double STEP = 0.02;
    private static final Map<DemoBand, Integer> LIMITS = Map.of(DemoBand.PREMIUM, 10, DemoBand.STANDARD, 20, DemoBand.BATCH, 30);

    /** Eight slots behind strict priorities, in steps of 20 ms; what the three queues were in each of 60 seconds. */
    @Test
    void twoBandsWaitMostOfTheTimeAndEveryBandEmptiesAndFills() {
        double service = 0.66;
        DemoWave wave = new DemoWave(8 / service);
        Map<DemoBand, Integer> queues = new EnumMap<>(Map.of(DemoBand.PREMIUM, 0, DemoBand.STANDARD, 0, DemoBand.BATCH, 0));
        double[] freeAt = new double[8];
        int steps = 0;
        int twoWait = 0;
        int allEmpty = 0;
        int batchFull = 0;
        int premiumWaits = 0;
        for (double now = STEP; now < 60; now += STEP) {
            for (DemoBand band : DemoBand.values()) {
                queues.put(band, Math.min(LIMITS.get(band), queues.get(band) + wave.arrivals(band, now - STEP, now)));
            }
            for (int slot = 0; slot < freeAt.length; slot++) {
                for (DemoBand band : DemoBand.values()) {
                    if (freeAt[slot] <= now && queues.get(band) > 0) {
                        queues.merge(band, -1, Integer::sum);
                        freeAt[slot] = now + service * band.tokens() / 30;
                    }
                }
            }
            steps++;
            twoWait += queues.values().stream().filter(waiting -> waiting > 0).count() >= 2 ? 1 : 0;
            allEmpty += queues.values().stream().allMatch(waiting -> waiting == 0) ? 1 : 0;
            batchFull += queues.get(DemoBand.BATCH) == 30 ? 1 : 0;
            premiumWaits += queues.get(DemoBand.PREMIUM) > 0 ? 1 : 0;
        }
        assertThat((double) twoWait / steps).isGreaterThan(0.55);
        assertThat((double) allEmpty / steps).isBetween(0.02, 0.4);
        assertThat(batchFull).isPositive();
        assertThat(premiumWaits).isPositive();
    }

    @Test
    void theMeanIsTheRateThatWasAskedFor() {
        DemoWave wave = DemoWave.withMean(20);
        int all = 0;
        for (DemoBand band : DemoBand.values()) {
            all += wave.arrivals(band, 0, 17 * 20);
        }
        assertThat(all / 340.0).isCloseTo(20, within(0.1));
    }

    @Test
    void noArrivalIsLostOrDoubledBetweenTwoLooks() {
        DemoWave wave = DemoWave.withMean(33);
        for (DemoBand band : DemoBand.values()) {
            int inSteps = 0;
            for (int step = 0; step < 1000; step++) {
                inSteps += wave.arrivals(band, step * 0.05, (step + 1) * 0.05);
            }
            assertThat(inSteps).isEqualTo(wave.arrivals(band, 0, 50));
        }
    }
}
