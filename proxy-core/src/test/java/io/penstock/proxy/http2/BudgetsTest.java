package io.penstock.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import org.junit.jupiter.api.Test;

class BudgetsTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void aBucketGivesItsBurstAndThenItsRate() {
        long start = Long.MAX_VALUE - SECOND;
        TokenBucket bucket = new TokenBucket(10, 3, start);

        assertThat(take(bucket, start, 5)).isEqualTo(3);
        assertThat(take(bucket, start + SECOND / 10, 5)).isEqualTo(1);
        assertThat(take(bucket, start + 60 * SECOND, 10)).isEqualTo(3);
    }

    private static int take(TokenBucket bucket, long now, int times) {
        int taken = 0;
        for (int i = 0; i < times; i++) {
            taken += bucket.take(now) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void requestsGivenUpLateAreNoAttack() {
        ResetBudget budget = new ResetBudget(0);

        assertThatCode(() -> {
            for (int i = 1; i <= 5_000; i++) {
                budget.requestReset(2 * SECOND, i);
            }
        }).doesNotThrowAnyException();
    }

    @Test
    void halfOfTheRequestsMayBeGivenUpEarlyAndAllOfTheFirst499() throws Http2Exception {
        ResetBudget budget = new ResetBudget(0);
        for (int i = 1; i < 500; i++) {
            budget.requestReset(0, i);
        }
        budget.requestReset(0, 1_000);

        assertThatThrownBy(() -> budget.requestReset(0, 1_001))
                .satisfies(error -> assertThat(Abuse.of(error)).isEqualTo(Abuse.RAPID_RESET));
    }

    @Test
    void resetsHaveACapPerMinuteWhateverTheirAge() throws Http2Exception {
        ResetBudget budget = new ResetBudget(0);
        for (int i = 0; i < 10_000; i++) {
            budget.resetFrame(0);
        }

        assertThatThrownBy(() -> budget.resetFrame(0)).isInstanceOf(Http2Exception.class);
        assertThatCode(() -> budget.resetFrame(SECOND)).doesNotThrowAnyException();
    }

    @Test
    void refusalsBeforeTheLimitIsKnownAreFree() {
        ResetBudget budget = new ResetBudget(0);
        for (int i = 0; i < 1_000; i++) {
            assertThat(budget.streamError(Http2Error.REFUSED_STREAM, 0)).isTrue();
        }
        assertThat(budget.streamError(Http2Error.REFUSED_STREAM, 0)).isFalse();
        budget.limitKnown();

        for (int i = 0; i < 20; i++) {
            assertThat(budget.streamError(Http2Error.REFUSED_STREAM, 0)).isTrue();
        }
        assertThat(budget.streamError(Http2Error.REFUSED_STREAM, 0)).isFalse();
        assertThat(budget.streamError(Http2Error.PROTOCOL_ERROR, 2 * SECOND)).isTrue();
    }

    @Test
    void smallFramesOfAnHonestStreamNeverUseTheBudgetUp() {
        FrameBudget budget = new FrameBudget(0);

        assertThatCode(() -> {
            for (long i = 0; i < 100_000; i++) {
                long at = i * SECOND / 50;
                budget.data(40, false, () -> at);
            }
        }).doesNotThrowAnyException();
    }

    @Test
    void boundsGrowWithStreamsAndResponses() throws Http2Exception {
        FrameBudget budget = new FrameBudget(0);
        budget.streamOpened();
        budget.dataSent(2);
        for (int i = 0; i < 5 + 2 * (1 + 20); i++) {
            budget.windowUpdate();
        }
        for (int i = 0; i < 200; i++) {
            budget.priority();
        }

        assertThatThrownBy(budget::windowUpdate).isInstanceOf(Http2Exception.class).hasMessage("window update flood");
        assertThatThrownBy(budget::priority).isInstanceOf(Http2Exception.class);
    }

    @Test
    void theLast128ResetsAreRemembered() {
        RecentResets recent = new RecentResets(100);
        for (int i = 1; i <= 257; i += 2) {
            recent.add(i);
        }

        assertThat(recent.contains(1)).isFalse();
        assertThat(recent.contains(3)).isTrue();
        assertThat(recent.contains(257)).isTrue();
        assertThat(recent.contains(259)).isFalse();
    }

    @Test
    void headersStopStoringAboveTheLimitAndTakeTheProxysOwnAfterwards() {
        CappedHeaders headers = new CappedHeaders(4, 2);
        headers.add(":method", "GET").add(":scheme", "http").add(":path", "/").add(":authority", "a");
        headers.add("a", "1").add("b", "2");
        CappedHeaders full = new CappedHeaders(4, 0);
        full.add("a", "1").add("a", "1").add("a", "1").add("a", "1").add("a", "1").add("a", "1");

        assertThat(headers.completeOverflowed()).isFalse();
        headers.add("x-own", "3");
        assertThat(headers.contains("x-own")).isTrue();
        assertThat(full.completeOverflowed()).isTrue();
        assertThat(full.size()).isEqualTo(4);
    }
}
