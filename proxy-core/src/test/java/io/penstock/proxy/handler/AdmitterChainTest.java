package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.FlowKey;
import io.penstock.proxy.admitter.AdmittedRequest;
import io.penstock.proxy.admitter.Admitter;
import io.penstock.proxy.admitter.Denial;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamFault;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What stands between admission and forwarding, and what an admitted request's end is worth to the policies. */
class AdmitterChainTest {

    private static final FlowKey FLOW = new FlowKey("default-flow", 0);

    private final ChainFixture fixture = new ChainFixture();
    private @Nullable Denial denial = new Denial(418, "no");
    private int asked;

    @AfterEach
    void close() {
        fixture.close();
    }

    private void admitter() {
        fixture.admitters.use(List.of(new Admitter() {
            @Override
            public String name() {
                return "mine";
            }

            @Override
            public @Nullable Denial deny(AdmittedRequest request) {
                asked++;
                return denial;
            }
        }));
    }

    @Test
    void aDenialKeepsItsOwnStatusAndHasNoDropReason() {
        admitter();
        fixture.submit();
        StubFlow.StubLease lease = fixture.dispatch(0);
        assertThat(fixture.client.status()).isEqualTo("418");
        assertThat(fixture.client.body).asString().contains("\"message\":\"no\"");
        assertThat(fixture.client.header("x-llm-d-request-dropped-reason")).isNull();
        assertThat(fixture.client.header("x-llm-d-flow-band-headroom-requests")).as("flow control admitted it").isEqualTo("19");
        assertThat(fixture.backend.opened).isEmpty();
        assertThat(lease.closed).isEqualTo(1);
        assertThat(fixture.ends).containsExactly(EndCause.REFUSED);
        assertThat(fixture.denials).containsExactly("mine");
        assertThat(fixture.finished).containsExactly(FLOW);
    }

    @Test
    void withFlowControlOffADenialHasNoHeadroom() {
        admitter();
        fixture.submit();
        StubFlow.StubLease lease = new StubFlow.StubLease(fixture.endpoint);
        fixture.flow.last().pass(lease);
        assertThat(fixture.client.status()).isEqualTo("418");
        assertThat(fixture.client.header("x-llm-d-flow-band-headroom-requests")).isNull();
        assertThat(lease.closed).isEqualTo(1);
        assertThat(fixture.finished).isEmpty();
    }

    @Test
    void aRequestWithoutABodyIsNotAsked() {
        admitter();
        RequestContext context = fixture.client.request();
        fixture.chain().onRequest(context, true);
        assertThat(fixture.backend.opened).hasSize(1);
        assertThat(asked).isZero();
    }

    @Test
    void aRequestIsAskedOnceHoweverOftenItIsDispatched() {
        admitter();
        denial = null;
        fixture.backend.connectAtOnce = false;
        fixture.submit();
        fixture.dispatch(0);
        denial = new Denial(429, "too late");
        fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        fixture.flow.last().dispatch(FLOW, new StubFlow.StubLease(fixture.other), 1);
        fixture.backend.last().connected();
        fixture.backend.last().answer("200", true);
        assertThat(fixture.client.status()).isEqualTo("200");
        assertThat(asked).isEqualTo(1);
        assertThat(fixture.finished).containsExactly(FLOW);
    }

    @Test
    void anAdmitterThatThrowsCostsTheRequestAndNothingElse() {
        IllegalStateException broken = new IllegalStateException("on purpose");
        fixture.admitters.use(List.of(new Admitter() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public Denial deny(AdmittedRequest request) {
                throw broken;
            }
        }));
        RequestContext context = fixture.submit();
        StubFlow.StubLease lease = new StubFlow.StubLease(fixture.endpoint);
        assertThatThrownBy(() -> fixture.flow.last().dispatch(FLOW, lease, 1)).isSameAs(broken);
        assertThat(context.phase()).isEqualTo(Phase.RESET);
        assertThat(lease.closed).isEqualTo(1);
    }

    @Test
    void everyAdmittedRequestIsFinishedOnceForTheBandThatAdmittedIt() {
        RequestContext served = fixture.submit();
        fixture.dispatch(5);
        fixture.backend.last().answer("200", true);
        assertThat(served.phase()).isEqualTo(Phase.DONE);
        assertThat(fixture.finished).containsExactly(FLOW.withPriority(5));
    }

    @Test
    void aDispatchThatComesTooLateIsFinishedAllTheSame() {
        RequestContext context = fixture.submit();
        fixture.flow.last().settled = true;
        fixture.chain().onClosed(context, ClientGone.RESET);
        assertThat(fixture.finished).as("nobody has admitted it").isEmpty();
        fixture.dispatch(0);
        assertThat(fixture.finished).containsExactly(FLOW);
    }

    @Test
    void aSecondDispatchThatComesTooLateIsNotFinishedTwice() {
        fixture.backend.connectAtOnce = false;
        RequestContext context = fixture.submit();
        fixture.dispatch(0);
        fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        fixture.flow.last().settled = true;
        fixture.chain().onClosed(context, ClientGone.RESET);
        fixture.dispatch(0);
        assertThat(fixture.finished).containsExactly(FLOW);
    }

    @Test
    void whatWasNeverAdmittedIsNeverFinished() {
        fixture.submit();
        fixture.flow.last().refuse(io.penstock.flow.RejectReason.TTL_EXPIRED);
        assertThat(fixture.finished).isEmpty();
    }
}
