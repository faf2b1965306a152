package io.penstock.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnreadResetsTest {

    private final UnreadResets resets = new UnreadResets();

    private int pingsOf(int count) {
        int pings = 0;
        for (int i = 0; i < count; i++) {
            pings += resets.add() ? 1 : 0;
        }
        return pings;
    }

    @Test
    void aFewKeepNoPlaceAndAskForNothing() {
        assertThat(pingsOf(UnreadResets.FREE - 1)).isZero();
        assertThat(resets.places()).isZero();
    }

    @Test
    void onePingIsOnItsWayAtATimeAndFreesWhatItAskedFor() {
        assertThat(pingsOf(100)).isEqualTo(1);
        assertThat(resets.places()).isEqualTo(100);

        assertThat(resets.read()).as("80 came behind the first").isTrue();
        assertThat(resets.places()).isEqualTo(80);
        assertThat(resets.read()).isFalse();
        assertThat(resets.places()).isZero();
    }
}
