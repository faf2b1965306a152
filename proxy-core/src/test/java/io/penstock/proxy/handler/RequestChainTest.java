package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.flow.RejectReason;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.ResetReason;
import io.penstock.proxy.request.UpstreamFault;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The way of a request through the chain, on one thread, with everything around it played by the test. */
class RequestChainTest {

    private final ChainFixture fixture = new ChainFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aRequestWaitsForDispatchBeforeAnythingIsOpened() {
        RequestContext context = fixture.submit();
        assertThat(context.phase()).isEqualTo(Phase.QUEUED);
        assertThat(fixture.backend.opened).isEmpty();
        assertThat(fixture.client.credit).isZero();
        StubFlow.StubLease lease = fixture.dispatch(0);
        assertThat(fixture.client.expanded).isTrue();
        assertThat(fixture.backend.last().body).asString().isEqualTo("{}");
        assertThat(fixture.backend.last().ended).isTrue();
        assertThat(fixture.client.credit).isEqualTo(2);
        fixture.backend.last().answer("200", false);
        fixture.backend.last().answerData(ChainFixture.bytes("hello"), true);
        assertThat(fixture.client.body).asString().isEqualTo("hello");
        assertThat(context.phase()).isEqualTo(Phase.DONE);
        assertThat(lease.closed).isEqualTo(1);
        assertThat(fixture.ends).containsExactly(EndCause.NATURAL);
    }

    @Test
    void aRequestWithoutABodyIsNotAdmitted() {
        RequestContext context = fixture.client.request();
        context.head().method("GET");
        fixture.chain().onRequest(context, true);
        assertThat(fixture.flow.submissions).isEmpty();
        assertThat(fixture.backend.last().ended).isTrue();
    }

    @Test
    void anEmptyDeclaredBodyIsNotAdmitted() {
        RequestContext context = fixture.client.request("content-length", "0");
        fixture.chain().onRequest(context, false);
        fixture.chain().onData(context, Unpooled.EMPTY_BUFFER, true);
        assertThat(fixture.flow.submissions).isEmpty();
        assertThat(fixture.backend.last().ended).isTrue();
    }

    @Test
    void withNoEndpointsABodylessRequestGets503() {
        fixture.bypassed = null;
        fixture.chain().onRequest(fixture.client.request(), true);
        assertThat(fixture.client.status()).isEqualTo("503");
        assertThat(fixture.client.header("x-llm-d-request-dropped-reason")).isEqualTo("rejected-no-endpoints");
    }

    @Test
    void aClientThatLeavesTheQueueCancelsItsTicket() {
        RequestContext context = fixture.submit();
        fixture.chain().onClosed(context, ClientGone.RESET);
        assertThat(fixture.flow.last().cancelled).isTrue();
        assertThat(fixture.ends).containsExactly(EndCause.CLIENT_RESET);
    }

    @Test
    void aDispatchThatLosesAgainstTheClientsCancelClosesItsLease() {
        RequestContext context = fixture.submit();
        fixture.flow.last().settled = true;
        fixture.chain().onClosed(context, ClientGone.RESET);
        StubFlow.StubLease lease = fixture.dispatch(0);
        assertThat(lease.closed).isEqualTo(1);
        assertThat(fixture.backend.opened).isEmpty();
    }

    @Test
    void aClientThatLeavesWhileTheBackendThinksAbortsIt() {
        RequestContext context = fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.chain().onClosed(context, ClientGone.DISCONNECTED);
        assertThat(fixture.backend.last().aborted).isTrue();
        assertThat(lease.closed).isEqualTo(1);
    }

    @Test
    void aClientThatLeavesDuringTheConnectAbortsIt() {
        fixture.backend.connectAtOnce = false;
        RequestContext context = fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.chain().onClosed(context, ClientGone.DISCONNECTED);
        assertThat(fixture.backend.last().aborted).isTrue();
        assertThat(lease.closed).isEqualTo(1);
    }

    @Test
    void aSlowClientStopsTheReadFromTheBackend() {
        RequestContext context = fixture.submit();
        fixture.dispatch(0);
        fixture.backend.last().answer("200", false);
        fixture.client.writable = false;
        fixture.backend.last().answerData(ChainFixture.bytes("x"), false);
        assertThat(fixture.backend.last().readable).isFalse();
        fixture.client.writable = true;
        fixture.chain().onWritable(context);
        assertThat(fixture.backend.last().readable).isTrue();
        fixture.chain().onClosed(context, ClientGone.RESET);
    }

    @Test
    void aSlowBackendKeepsTheClientsCredit() {
        RequestContext context = fixture.client.request();
        fixture.chain().onRequest(context, false);
        fixture.backend.connectAtOnce = false;
        fixture.dispatch(0);
        fixture.backend.last().writable = false;
        fixture.backend.last().connected();
        fixture.chain().onData(context, ChainFixture.bytes("12345"), false);
        assertThat(fixture.client.credit).isZero();
        fixture.backend.last().writableAgain();
        assertThat(fixture.client.credit).isEqualTo(5);
        fixture.chain().onClosed(context, ClientGone.RESET);
    }

    @Test
    void aConnectFailureSendsTheRequestToAnotherEndpointThroughTheGate() {
        fixture.backend.connectAtOnce = false;
        fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        StubFlow.Submission first = fixture.flow.last();
        fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        assertThat(lease.closed).isEqualTo(1);
        assertThat(fixture.flow.last().earlier).isSameAs(first);
        assertThat(fixture.flow.last().request.excludes(fixture.endpoint)).isTrue();
        fixture.flow.last().dispatch(new FlowKey("default-flow", 0), new StubFlow.StubLease(fixture.other), 9_000_000);
        fixture.backend.last().connected();
        assertThat(fixture.backend.last().body).asString().isEqualTo("{}");
        fixture.backend.last().answer("200", true);
        assertThat(fixture.client.status()).isEqualTo("200");
        assertThat(fixture.client.header("x-llm-d-flow-queue-duration-ms")).isEqualTo("7");
    }

    /** FC-19: a place that is free before goes to whoever waits behind it. */
    @Test
    void whatGoesAgainIsInLineBeforeItsPlaceIsGivenBack() {
        fixture.backend.connectAtOnce = false;
        fixture.submit();
        List<Integer> submissionsAtClose = new ArrayList<>();
        fixture.flow.last().dispatch(new FlowKey("default-flow", 0), new Lease() {
            @Override
            public EndpointView endpoint() {
                return fixture.endpoint;
            }

            @Override
            public void close() {
                submissionsAtClose.add(fixture.flow.submissions.size());
            }
        }, 0);
        fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        assertThat(submissionsAtClose).containsExactly(2);
    }

    @Test
    void aReusedConnectionThatDiesWithoutAByteIsReplayedOnANewOne() {
        fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.backend.last().fail(UpstreamFault.Kind.CLOSED, true, false, true);
        assertThat(lease.closed).isZero();
        assertThat(fixture.backend.opened).hasSize(2);
        assertThat(fixture.backend.last().body).asString().isEqualTo("{}");
        fixture.backend.last().fail(UpstreamFault.Kind.CLOSED, true, false, true);
        assertThat(fixture.client.status()).isEqualTo("503");
        assertThat(fixture.backend.opened).hasSize(2);
    }

    @Test
    void aUsedConnectionThatDiesLaterMayHaveDoneTheWork() {
        fixture.submit();
        fixture.dispatch(0);
        fixture.clock.advanceMillis(501);
        fixture.backend.last().fail(UpstreamFault.Kind.CLOSED, true, false, true);
        assertThat(fixture.backend.opened).hasSize(1);
        assertThat(fixture.client.status()).isEqualTo("503");
    }

    @Test
    void everyClaimOfAnEarlierHopIsKeptBeforeThePeersAddress() {
        fixture.submit("x-forwarded-for", "1.1.1.1", "x-forwarded-for", "2.2.2.2");
        fixture.dispatch(0);
        assertThat(fixture.backend.last().head.getAll("x-forwarded-for")).extracting(CharSequence::toString)
                .containsExactly("1.1.1.1, 2.2.2.2, 127.0.0.9");
        fixture.backend.last().answer("200", true);
    }

    @Test
    void aDefectAfterDispatchStillEndsTheRequest() {
        RequestContext context = fixture.submit();
        fixture.backend.broken = new OutOfMemoryError("on purpose");
        assertThatThrownBy(() -> fixture.dispatch(0)).isSameAs(fixture.backend.broken);
        assertThat(context.phase()).isEqualTo(Phase.RESET);
        assertThat(fixture.client.reset).isEqualTo(ResetReason.UPSTREAM_FAILED);
        assertThat(fixture.ends).containsExactly(EndCause.INTERNAL);
    }

    @Test
    void aClientThatTurnsOutToHaveGoneAtDispatchIsNotForwarded() {
        RequestContext context = fixture.client.request("expect", "100-continue", "content-length", "2");
        fixture.chain().onRequest(context, false);
        fixture.client.onInformational = () -> fixture.chain().onClosed(context, ClientGone.DISCONNECTED);
        StubFlow.StubLease lease = fixture.dispatch(0);
        assertThat(fixture.backend.opened).isEmpty();
        assertThat(context.phase()).isEqualTo(Phase.CANCELLED);
        assertThat(lease.closed).isEqualTo(1);
    }

    @Test
    void anEndpointThatCannotBeReachedTwiceIsNotTriedAgain() {
        fixture.backend.connectAtOnce = false;
        fixture.submit();
        for (int i = 0; i < 2; i++) {
            fixture.dispatch(0);
            fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        }
        assertThat(fixture.backend.opened).hasSize(2);
        assertThat(fixture.client.status()).isEqualTo("503");
    }

    @Test
    void aReplayGivesTheClientNoCreditTwice() {
        fixture.submit();
        fixture.dispatch(0);
        assertThat(fixture.client.credit).isEqualTo(2);
        fixture.backend.last().fail(UpstreamFault.Kind.CLOSED, true, false, true);
        assertThat(fixture.backend.last().body).asString().isEqualTo("{}");
        assertThat(fixture.client.credit).isEqualTo(2);
        fixture.backend.last().answer("200", true);
    }

    @Test
    void aDeliveredRequestIsNotSentTwice() {
        fixture.submit();
        fixture.dispatch(0);
        fixture.backend.last().fail(UpstreamFault.Kind.CLOSED, false, false, true);
        assertThat(fixture.backend.opened).hasSize(1);
        assertThat(fixture.client.status()).isEqualTo("503");
        assertThat(fixture.ends).containsExactly(EndCause.UPSTREAM_ERROR);
    }

    @Test
    void aBodyLargerThanTheReplayLimitIsNotReplayed() {
        RequestContext context = fixture.client.request();
        fixture.chain().onRequest(context, false);
        fixture.dispatch(0);
        for (int i = 0; i < 3; i++) {
            fixture.chain().onData(context, Unpooled.buffer(30_000).writeZero(30_000), i == 2);
        }
        assertThat(fixture.backend.last().body).hasSize(90_000);
        fixture.backend.last().fail(UpstreamFault.Kind.CLOSED, true, false, true);
        assertThat(fixture.client.status()).isEqualTo("503");
    }

    @Test
    void aBackendThatDiesAfterItsHeadersResetsTheClient() {
        fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        fixture.backend.last().answer("200", false);
        fixture.backend.last().fail(UpstreamFault.Kind.CLOSED, false, true, true);
        assertThat(fixture.client.reset).isEqualTo(ResetReason.UPSTREAM_FAILED);
        assertThat(fixture.client.ended).isFalse();
        assertThat(lease.closed).isEqualTo(1);
    }

    @Test
    void aDeclaredBodyBeyondTheLimitIsRefusedBeforeAdmission() {
        fixture.chain().onRequest(fixture.client.request("content-length", "1048577"), false);
        assertThat(fixture.client.status()).isEqualTo("413");
        assertThat(fixture.flow.submissions).isEmpty();
    }

    @Test
    void anUndeclaredBodyBeyondTheLimitIsRefusedAndItsTicketCancelled() {
        fixture.maxBody = 10;
        RequestContext context = fixture.client.request();
        fixture.chain().onRequest(context, false);
        fixture.chain().onData(context, ChainFixture.bytes("12345678901"), false);
        assertThat(fixture.client.status()).isEqualTo("413");
        assertThat(fixture.flow.last().cancelled).isTrue();
    }

    @Test
    void expectIsAnsweredAtDispatchAndNotPassedOn() {
        RequestContext context = fixture.client.request("expect", "100-continue", "content-length", "2");
        fixture.chain().onRequest(context, false);
        assertThat(fixture.client.informational).isEmpty();
        fixture.dispatch(0);
        assertThat(fixture.client.informational).hasSize(1);
        assertThat(fixture.backend.last().head.contains("expect")).isFalse();
        fixture.chain().onClosed(context, ClientGone.RESET);
    }

    @Test
    void aRefusalReleasesTheHeldBody() {
        RequestContext context = fixture.client.request();
        fixture.chain().onRequest(context, false);
        ByteBuf body = Unpooled.buffer(8).writeZero(8);
        fixture.chain().onData(context, body, false);
        fixture.flow.last().refuse(RejectReason.TTL_EXPIRED);
        assertThat(body.refCnt()).isZero();
        ByteBuf late = Unpooled.buffer(8).writeZero(8);
        fixture.chain().onData(context, late, true);
        assertThat(late.refCnt()).isZero();
    }
}
