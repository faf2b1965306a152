package io.penstock.bench.headroom;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.headroom.ControlLaw.Flight;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LawsTest {

    private long number;

    private static Answer done(int headroom) {
        return new Answer(Outcome.DONE, headroom, 0, Answer.NONE);
    }

    private static Answer done() {
        return done(Answer.NONE);
    }

    private static Answer ended(Outcome outcome) {
        return Answer.without(outcome);
    }

    /** Answers a request of this window that was sent after all cuts so far. */
    private void fresh(ControlLaw law, Answer answer, int inFlight) {
        law.answered(answer, new Flight(inFlight, number, number + inFlight));
        number += inFlight;
    }

    private AimdLaw aimd(int window) {
        AimdLaw law = new AimdLaw();
        while (law.window() < 2 * window) {
            fresh(law, done(), (int) law.window());
        }
        fresh(law, ended(Outcome.SATURATED), 2 * window);
        assertThat(law.window()).isEqualTo(window);
        return law;
    }

    @Test
    void blindWorkersDoNotCare() {
        ControlLaw law = new BlindLaw(64);
        fresh(law, ended(Outcome.SATURATED), 64);
        fresh(law, done(0), 64);
        assertThat(law.window()).isEqualTo(64);
        assertThat(new BlindLaw(0).window()).isEqualTo(1);
    }

    @Test
    void aimdDoublesEachFlightUntilTheFirstRefusal() {
        AimdLaw law = new AimdLaw();
        assertThat(law.window()).isEqualTo(1);
        for (int flight = 1; flight <= 5; flight++) {
            int window = (int) law.window();
            for (int i = 0; i < window; i++) {
                fresh(law, done(), (int) law.window());
            }
            assertThat(law.window()).isEqualTo(1 << flight);
        }
    }

    @Test
    void aimdAddsOneAFlightAfterTheFirstRefusal() {
        AimdLaw law = aimd(10);
        for (int i = 0; i < 11; i++) {
            fresh(law, done(), 12);
        }
        assertThat(law.window()).isEqualTo(11);
    }

    @Test
    void aimdHalvesOnceForAllRefusalsOfAFlight() {
        AimdLaw law = aimd(16);
        long first = number;
        law.answered(ended(Outcome.SATURATED), new Flight(16, first, first + 16));
        law.answered(ended(Outcome.SATURATED), new Flight(15, first + 1, first + 16));
        law.answered(ended(Outcome.SATURATED), new Flight(14, first + 15, first + 20));
        assertThat(law.window()).as("all three were sent before the cut").isEqualTo(8);
        law.answered(ended(Outcome.SATURATED), new Flight(8, first + 16, first + 24));
        assertThat(law.window()).as("sent after it").isEqualTo(4);
    }

    @Test
    void aimdTakesATenthOffForAnExpiredWait() {
        AimdLaw law = aimd(20);
        fresh(law, ended(Outcome.TTL_EXPIRED), 20);
        assertThat(law.window()).isEqualTo(18);
    }

    @ParameterizedTest
    @EnumSource(value = Outcome.class, names = {"EVICTED", "NO_ENDPOINTS", "SHUTTING_DOWN", "FAILED", "UNPROCESSED"})
    void evictionsAndErrorsChangeNoWindow(Outcome outcome) {
        AimdLaw aimd = aimd(20);
        fresh(aimd, ended(outcome), 20);
        assertThat(aimd.window()).isEqualTo(20);
        CreditLaw credit = new CreditLaw(1, 8);
        fresh(credit, done(10), 30);
        fresh(credit, ended(outcome), 30);
        assertThat(credit.window()).isEqualTo(31);
        LevelLaw level = new LevelLaw(1, 8);
        fresh(level, done(10), 30);
        fresh(level, ended(outcome), 30);
        assertThat(level.window()).isEqualTo(32);
    }

    @Test
    void aimdDoesNotGrowOnAWindowThatIsNotUsed() {
        AimdLaw law = aimd(10);
        for (int i = 0; i < 100; i++) {
            fresh(law, done(), 3);
        }
        assertThat(law.window()).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Law.class)
    void noWindowFallsBelowOne(Law which) {
        ControlLaw law = which.make(1, 1, 8);
        for (int i = 0; i < 50; i++) {
            fresh(law, ended(Outcome.SATURATED), 1);
            fresh(law, ended(Outcome.TTL_EXPIRED), 1);
            fresh(law, done(0), 1);
            assertThat(law.window()).isGreaterThanOrEqualTo(1);
        }
    }

    @Test
    void cappedNeverSendsMoreThanTheHeadroomOnTopOfWhatIsInFlight() {
        CappedLaw law = new CappedLaw();
        for (int i = 0; i < 100; i++) {
            fresh(law, done(), (int) law.window());
        }
        assertThat(law.window()).isGreaterThan(50);
        fresh(law, done(3), 40);
        assertThat(law.window()).as("39 are left, and three more").isEqualTo(42);
        fresh(law, done(0), 42);
        assertThat(law.window()).as("not even the answered one is replaced").isEqualTo(41);
        fresh(law, done(), 41);
        assertThat(law.window()).as("no header, no cap").isGreaterThan(50);
    }

    @Test
    void creditSetsTheWindowToWhatIsLeftPlusItsPartOfTheRoom() {
        CreditLaw law = new CreditLaw(1, 8);
        fresh(law, done(16), 1);
        assertThat(law.window()).isEqualTo(8);
        fresh(law, done(9), 40);
        assertThat(law.window()).as("one above the reserve replaces the answered one").isEqualTo(40);
        fresh(law, done(8), 40);
        assertThat(law.window()).isEqualTo(39);
        fresh(law, done(2), 40);
        assertThat(law.window()).isEqualTo(33);
        CreditLaw quarter = new CreditLaw(0.25, 8);
        fresh(quarter, done(16), 10);
        assertThat(quarter.window()).isEqualTo(11);
        fresh(quarter, done(10), 10);
        assertThat(quarter.window()).isEqualTo(9.5);
    }

    @Test
    void ofAnswersReadTogetherOnlyTheNewestCounts() {
        CreditLaw law = new CreditLaw(1, 8);
        fresh(law, done(16), 20);
        fresh(law, done(16), 19);
        fresh(law, done(16), 18);
        assertThat(law.window()).as("17 left and 8 on top, not 24").isEqualTo(25);
    }

    @Test
    void creditGivesUpOnePlaceForARefusal() {
        CreditLaw law = new CreditLaw(1, 8);
        fresh(law, done(10), 30);
        fresh(law, ended(Outcome.SATURATED), 31);
        assertThat(law.window()).isEqualTo(30);
    }

    @Test
    void withoutTheHeaderCreditIsAimd() {
        AimdLaw aimd = new AimdLaw();
        CreditLaw credit = new CreditLaw(1, 8);
        LevelLaw level = new LevelLaw(1, 8);
        for (int i = 0; i < 200; i++) {
            Answer answer = i % 40 == 39 ? ended(Outcome.SATURATED) : done();
            Flight flight = new Flight((int) aimd.window(), i, i + 1);
            aimd.answered(answer, flight);
            credit.answered(answer, flight);
            level.answered(answer, flight);
            assertThat(credit.window()).isEqualTo(aimd.window());
            assertThat(level.window()).isEqualTo(aimd.window());
        }
    }

    @Test
    void aHeaderThatGoesAwayLeavesTheWindowToAimd() {
        CreditLaw law = new CreditLaw(1, 8);
        fresh(law, done(200), 5);
        assertThat(law.window()).isEqualTo(196);
        fresh(law, done(), 5);
        assertThat(law.window()).isLessThan(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    void levelReplacesTheAnsweredRequestAtTheSetPoint(int dispatchers) {
        LevelLaw law = new LevelLaw(1.0 / dispatchers, 8);
        fresh(law, done(8), 5);
        assertThat(law.window()).isEqualTo(5);
        assertThat(new CreditLaw(1.0 / dispatchers, 8)).satisfies(credit -> {
            fresh(credit, done(8), 5);
            assertThat(credit.window()).as("the other law shrinks there").isEqualTo(4);
        });
    }

    @Test
    void levelKeepsWhatIsLessThanARequestForTheNextAnswer() {
        LevelLaw law = new LevelLaw(0.25, 8);
        fresh(law, done(9), 5);
        fresh(law, done(9), 5);
        fresh(law, done(9), 5);
        assertThat(law.window()).isEqualTo(5);
        fresh(law, done(9), 5);
        assertThat(law.window()).isEqualTo(6);
        fresh(law, done(7), 6);
        assertThat(law.window()).as("a quarter less").isEqualTo(5);
    }

    /** The worst case: all act on the same number before any of their requests has arrived. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    void withAGainOfOneOverRAllTogetherNeverTakeMoreThanThereIs(int dispatchers) {
        for (int headroom = 0; headroom <= 64; headroom++) {
            double granted = 0;
            for (int i = 0; i < dispatchers; i++) {
                CreditLaw law = new CreditLaw(1.0 / dispatchers, 0);
                fresh(law, done(headroom), 10);
                granted += law.window() - 9;
            }
            assertThat(granted).isLessThanOrEqualTo(headroom + 1e-9);
        }
    }
}
