package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.testkit.ManualClock;
import org.junit.jupiter.api.Test;

class HealthTest {

    private final ManualClock clock = new ManualClock();
    private final Health health = new Health(clock);

    @Test
    void twoFailuresInARowChangeNothing() {
        health.failed();
        health.failed();
        assertThat(available()).isTrue();
        assertThat(health.failures()).isEqualTo(2);
    }

    @Test
    void aSuccessInBetweenStartsTheCountAnew() {
        health.failed();
        health.failed();
        health.succeeded();
        health.failed();
        health.failed();
        assertThat(available()).isTrue();
    }

    @Test
    void theThirdFailureInARowPutsItOutForFiveSeconds() {
        fail(3);
        assertThat(available()).isFalse();
        assertThat(health.state(clock.getAsLong())).isEqualTo(HealthState.EJECTED);
        clock.advanceMillis(4_999);
        assertThat(available()).isFalse();
        clock.advanceMillis(1);
        assertThat(available()).isTrue();
        assertThat(health.state(clock.getAsLong())).isEqualTo(HealthState.PROBING);
    }

    @Test
    void failuresOfRequestsThatWereUnderWayDoNotLengthenTheTimeOut() {
        fail(50);
        clock.advanceMillis(4_000);
        fail(50);
        clock.advanceMillis(1_000);
        assertThat(available()).isTrue();
    }

    @Test
    void eachFailedTryDoublesTheTimeOutUpToAMinute() {
        fail(3);
        for (long seconds : new long[] {5, 10, 20, 40, 60, 60, 60}) {
            clock.advanceMillis(seconds * 1_000 - 1);
            assertThat(available()).as("just before %s s", seconds).isFalse();
            clock.advanceMillis(1);
            assertThat(available()).as("at %s s", seconds).isTrue();
            health.failed();
            assertThat(available()).isFalse();
        }
    }

    @Test
    void onlyOneRequestASecondTriesItAfterItsTimeOut() {
        fail(3);
        clock.advanceMillis(5_000);
        assertThat(available()).isTrue();
        health.chosen(clock.getAsLong());
        assertThat(available()).isFalse();
        clock.advanceMillis(999);
        assertThat(available()).isFalse();
        clock.advanceMillis(1);
        assertThat(available()).isTrue();
    }

    @Test
    void anyByteOfAResponseMakesItWholeAtOnce() {
        fail(3);
        health.succeeded();
        assertThat(available()).isTrue();
        assertThat(health.state(clock.getAsLong())).isEqualTo(HealthState.HEALTHY);
        assertThat(health.failures()).isZero();
        fail(3);
        clock.advanceMillis(5_000);
        assertThat(available()).isTrue();
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            health.failed();
        }
    }

    private boolean available() {
        return health.available(clock.getAsLong());
    }
}
