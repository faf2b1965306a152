package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.FlowKey;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import io.penstock.proxy.request.UpstreamFault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A running request that flow control stops (spec/flow-control section 9), in each phase that it may be in by then. */
class EvictionTest {

    private final ChainFixture fixture = new ChainFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void assertRefused(StubFlow.StubLease lease) {
        assertThat(fixture.client.status()).isEqualTo("429");
        assertThat(fixture.client.header("x-llm-d-request-dropped-reason")).isEqualTo("evicted");
        assertThat(fixture.client.header("x-llm-d-flow-band-headroom-requests")).as("it was admitted").isEqualTo("19");
        assertThat(fixture.client.header("x-llm-d-flow-queue-duration-ms")).isEqualTo("7");
        assertThat(fixture.client.header("retry-after")).isNull();
        assertThat(fixture.client.header("content-type")).isEqualTo("application/json");
        assertThat(fixture.client.body).asString().contains("\"type\":\"RateLimitError\"", "\"code\":429");
        assertThat(fixture.client.ended).isTrue();
        assertThat(fixture.backend.last().aborted).isTrue();
        assertThat(lease.closed).as("that confirms it").isEqualTo(1);
        assertThat(fixture.ends).containsExactly(EndCause.EVICTED);
    }

    @Test
    void duringTheConnectItIsRefused() {
        fixture.backend.connectAtOnce = false;
        fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.flow.last().evict();
        assertRefused(lease);
    }

    @Test
    void whileTheBackendThinksItIsRefused() {
        fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.flow.last().evict();
        assertRefused(lease);
    }

    @Test
    void afterTheHeadItIsResetAndNeverEndsCleanly() {
        RequestContext context = fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.backend.last().answer("200", false);
        fixture.backend.last().answerData(ChainFixture.bytes("some"), false);
        fixture.flow.last().evict();
        assertThat(fixture.client.status()).isEqualTo("200");
        assertThat(fixture.client.reset).isEqualTo(ResetReason.EVICTED);
        assertThat(fixture.client.ended).isFalse();
        assertThat(fixture.backend.last().aborted).isTrue();
        assertThat(lease.closed).isEqualTo(1);
        assertThat(context.phase()).isEqualTo(Phase.RESET);
        assertThat(fixture.ends).containsExactly(EndCause.EVICTED);
    }

    @Test
    void itEndsOnceHoweverOftenItIsTold() {
        fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.flow.last().evict();
        fixture.flow.last().evict();
        assertRefused(lease);
        assertThat(fixture.finished).hasSize(1);
    }

    @Test
    void whatHasEndedStaysAsItEnded() {
        RequestContext done = fixture.submit();
        fixture.dispatch(0);
        fixture.backend.last().answer("200", true);
        fixture.flow.last().evict();
        assertThat(done.phase()).isEqualTo(Phase.DONE);
        assertThat(fixture.client.reset).isNull();
        RequestContext left = fixture.client.request();
        fixture.chain().onRequest(left, false);
        fixture.dispatch(0);
        fixture.chain().onClosed(left, ClientGone.RESET);
        fixture.flow.last().evict();
        assertThat(fixture.ends).containsExactly(EndCause.NATURAL, EndCause.CLIENT_RESET);
    }

    @Test
    void oneThatWaitsAgainHasGivenItsPlaceBackAndGoesOnWaiting() {
        fixture.backend.connectAtOnce = false;
        RequestContext context = fixture.submit();
        StubFlow.StubLease first = fixture.dispatch(0);
        StubFlow.Submission before = fixture.flow.last();
        fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        assertThat(first.closed).isEqualTo(1);
        before.evict();
        assertThat(context.phase()).isEqualTo(Phase.QUEUED);
        assertThat(fixture.flow.last().cancelled).isFalse();
        fixture.flow.last().dispatch(new FlowKey("default-flow", 0), new StubFlow.StubLease(fixture.other), 1);
        fixture.backend.last().connected();
        fixture.backend.last().answer("200", true);
        assertThat(fixture.client.status()).isEqualTo("200");
    }

    @Test
    void anUploadThatGoesOnIsTakenAndDropped() {
        RequestContext context = fixture.client.request();
        fixture.chain().onRequest(context, false);
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.flow.last().evict();
        assertRefused(lease);
        var late = ChainFixture.bytes("more");
        fixture.chain().onData(context, late, true);
        assertThat(late.refCnt()).isZero();
    }

    @Test
    void anAnswerThatCannotBeMadeStillGivesThePlaceBack() {
        RequestContext context = fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        OutOfMemoryError broken = new OutOfMemoryError("on purpose");
        fixture.capacity = priority -> {
            throw broken;
        };
        assertThatThrownBy(() -> fixture.flow.last().evict()).isSameAs(broken);
        assertThat(context.phase()).isEqualTo(Phase.RESET);
        assertThat(lease.closed).isEqualTo(1);
        assertThat(fixture.backend.last().aborted).isTrue();
    }
}
