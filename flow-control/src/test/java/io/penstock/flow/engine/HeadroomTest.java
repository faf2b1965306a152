package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.config.BandConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** FC-01, FC-02, FC-04, FC-05: the count behind the headroom header, from a submission to the value. */
class HeadroomTest {

    @ParameterizedTest
    @CsvSource({"0,100", "81,19", "99,1", "100,0"})
    void headroomIsTheLimitLessWhatWaits(int waiting, long headroom) {
        Rig rig = Rig.bands(100, 0);
        rig.send(waiting, 0);
        assertThat(rig.capacity(0)).isEqualTo(new CapacitySnapshot(100, waiting));
        assertThat(rig.capacity(0).headroomRequests()).isEqualTo(headroom);
    }

    @Test
    void aRefusedRequestTakesNoRoom() {
        Rig rig = Rig.bands(2, 0);
        rig.send(5, 0);
        assertThat(rig.capacity(0).headroomRequests()).isZero();
        assertThat(rig.waiting(0)).isEqualTo(2);
    }

    @Test
    void headroomIsReadNowAndNotAtAdmission() {
        Rig rig = Rig.bands(100, 0);
        rig.send(11, 0);
        rig.placement.limit(1);
        rig.open();
        assertThat(rig.capacity(0).headroomRequests()).isEqualTo(90);
        rig.send(50, 0);
        assertThat(rig.capacity(0).headroomRequests()).isEqualTo(40);
    }

    @Test
    void runningRequestsDoNotCount() {
        Rig rig = Rig.bands(100, 0);
        rig.gate.open();
        rig.send(30, 0);
        assertThat(rig.placement.open()).isEqualTo(30);
        assertThat(rig.capacity(0).headroomRequests()).isEqualTo(100);
    }

    @Test
    void aLimitLoweredBelowTheLengthGivesZeroAndSendsNobodyAway() {
        Rig rig = Rig.bands(100, 0);
        List<Rig.Sent> sent = rig.send(60, 0);
        rig.setLimit(0, 40);
        assertThat(rig.capacity(0)).isEqualTo(new CapacitySnapshot(40, 60));
        assertThat(rig.capacity(0).headroomRequests()).isZero();
        assertThat(rig.send(0).listener().refused()).isNotNull();
        rig.open();
        assertThat(sent).allMatch(each -> each.listener().dispatched());
        assertThat(rig.capacity(0).headroomRequests()).isEqualTo(40);
    }

    @Test
    void anUnboundedBandHasNoHeadroomToSpeakOf() {
        Rig rig = new Rig(Rig.config(BandConfig.defaults(0), List.of(Rig.band(0, CapacitySnapshot.UNBOUNDED))));
        rig.send(6000, 0);
        assertThat(rig.capacity(0).bounded()).isFalse();
        assertThat(rig.waiting(0)).isEqualTo(6000);
    }

    @Test
    void aMissingBandHasNoSnapshot() {
        Rig rig = Rig.bands(100, 0);
        assertThat(rig.controller.capacity().capacitySnapshot(5)).isNull();
    }

    @Test
    void equalCountsShareOneSnapshot() {
        Rig rig = Rig.bands(100, 0);
        assertThat(rig.capacity(0)).isSameAs(rig.capacity(0));
    }

    @Test
    void aBandOnTheLimitOfSharedSnapshotsStillCounts() {
        CountLimits limits = new CountLimits(100_000, 1);
        assertThat(limits.snapshot(99_999)).isEqualTo(new CapacitySnapshot(100_000, 99_999));
    }
}
