package io.penstock.flow.engine;

import static io.penstock.flow.engine.Occupancy.Reservation.ADMITTED;
import static io.penstock.flow.engine.Occupancy.Reservation.CLOSED;
import static io.penstock.flow.engine.Occupancy.Reservation.FULL;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.config.BandConfig;
import org.junit.jupiter.api.Test;

class OccupancyTest {

    private final Occupancy occupancy = new Occupancy();

    @Test
    void landingExactlyOnEitherLimitIsAdmittedAndOneMoreIsNot() {
        assertThat(occupancy.reserve(600, 2, 1000)).isEqualTo(ADMITTED);
        assertThat(occupancy.reserve(401, 2, 1000)).isEqualTo(FULL);
        assertThat(occupancy.reserve(400, 2, 1000)).isEqualTo(ADMITTED);
        assertThat(occupancy.reserve(0, 2, 1000)).isEqualTo(FULL);
        assertCounts(2, 1000);
    }

    @Test
    void releaseGivesBackBothCounts() {
        occupancy.reserve(7, 10, 100);
        occupancy.reserve(0, 10, 100);
        occupancy.release(7);
        assertCounts(1, 0);
        occupancy.release(0);
        assertCounts(0, 0);
    }

    @Test
    void theFieldEndsRefuseAndNeverCarry() {
        assertThat(occupancy.reserve(BandConfig.MAX_BYTES, BandConfig.MAX_REQUESTS, BandConfig.MAX_BYTES)).isEqualTo(ADMITTED);
        assertThat(occupancy.reserve(1, BandConfig.MAX_REQUESTS, BandConfig.MAX_BYTES)).isEqualTo(FULL);
        assertThat(occupancy.reserve(Long.MAX_VALUE, BandConfig.MAX_REQUESTS, BandConfig.MAX_BYTES)).isEqualTo(FULL);
        assertCounts(1, BandConfig.MAX_BYTES);
        for (long i = 1; i < BandConfig.MAX_REQUESTS; i++) {
            occupancy.reserve(0, BandConfig.MAX_REQUESTS, BandConfig.MAX_BYTES);
        }
        assertThat(occupancy.reserve(0, BandConfig.MAX_REQUESTS, BandConfig.MAX_BYTES)).isEqualTo(FULL);
        assertCounts(BandConfig.MAX_REQUESTS, BandConfig.MAX_BYTES);
    }

    @Test
    void aLimitBelowTheCountsRefusesWithoutLosingThem() {
        occupancy.reserve(50, 10, 100);
        assertThat(occupancy.reserve(0, 1, 10)).isEqualTo(FULL);
        assertThat(occupancy.reserve(0, 10, 10)).isEqualTo(FULL);
        assertCounts(1, 50);
    }

    @Test
    void onlyAnEmptyOneCloses() {
        occupancy.reserve(5, 10, 100);
        assertThat(occupancy.close()).isFalse();
        occupancy.release(5);
        assertThat(occupancy.close()).isTrue();
        assertThat(occupancy.reserve(0, 10, 100)).isEqualTo(CLOSED);
        assertCounts(0, 0);
    }

    private void assertCounts(long requests, long bytes) {
        long word = occupancy.read();
        assertThat(Occupancy.requests(word)).isEqualTo(requests);
        assertThat(Occupancy.bytes(word)).isEqualTo(bytes);
    }
}
