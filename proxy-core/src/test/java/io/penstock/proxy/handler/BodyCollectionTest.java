package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.penstock.flow.FlowKey;
import io.penstock.flow.Lease;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.inference.PromptEstimator;
import io.penstock.proxy.request.BodyBudget;
import io.penstock.proxy.request.ClientGone;
import io.penstock.proxy.request.EndCause;
import io.penstock.proxy.request.Phase;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamFault;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where tokens are counted, a request's body is here before the request is queued, and what a dispatch says of prefill goes on. */
class BodyCollectionTest {

    private static final String CHAT = "{\"messages\":[{\"role\":\"user\",\"content\":\"12345678\"}],\"max_tokens\":9}";

    private final ChainFixture fixture = new ChainFixture();
    private final BodyBudget budget = new BodyBudget(1000);
    private int unreadable;
    private int refused;

    @BeforeEach
    void collect() {
        fixture.collection = new BodyCollection(new PromptEstimator(), budget, () -> unreadable++, () -> refused++);
    }

    @AfterEach
    void close() {
        fixture.close();
        assertThat(budget.held()).as("every byte is given back").isZero();
    }

    private RequestContext begin(String... headers) {
        RequestContext context = fixture.client.request(headers);
        fixture.chain().onRequest(context, false);
        return context;
    }

    private void send(RequestContext context, String bytes, boolean last) {
        fixture.chain().onData(context, ChainFixture.bytes(bytes), last);
    }

    @Test
    void theRequestIsQueuedOnceItsBodyIsComplete() {
        RequestContext context = begin();
        send(context, CHAT.substring(0, 20), false);
        assertThat(context.phase()).isEqualTo(Phase.RECEIVED);
        assertThat(fixture.flow.submissions).isEmpty();
        assertThat(fixture.client.credit).as("the rest may come").isEqualTo(20);
        assertThat(fixture.client.expanded).isTrue();
        send(context, CHAT.substring(20), true);
        assertThat(context.phase()).isEqualTo(Phase.QUEUED);
        assertThat(fixture.flow.last().request.promptTokens()).isEqualTo(3);
        assertThat(fixture.flow.last().request.maxOutputTokens()).isEqualTo(9);
        assertThat(fixture.flow.last().request.byteSize()).isEqualTo(CHAT.length());
        assertThat(budget.held()).isEqualTo(CHAT.length());
        fixture.dispatch(0);
        assertThat(fixture.backend.last().body).asString().isEqualTo(CHAT);
        assertThat(fixture.backend.last().ended).isTrue();
        assertThat(fixture.client.credit).as("credit is given once").isEqualTo(CHAT.length());
        fixture.backend.last().answer("200", false);
        assertThat(budget.held()).as("no replay can need it").isZero();
        fixture.backend.last().answerData(Unpooled.EMPTY_BUFFER, true);
    }

    @Test
    void aReplayNeedsTheBodyAgainAndGivesNoMoreCredit() {
        RequestContext context = begin();
        send(context, CHAT, true);
        fixture.dispatch(0);
        assertThat(budget.held()).isEqualTo(CHAT.length());
        fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        fixture.dispatch(0);
        assertThat(fixture.backend.last().body).asString().isEqualTo(CHAT);
        assertThat(fixture.client.credit).isEqualTo(CHAT.length());
        assertThat(context.phase()).isEqualTo(Phase.FORWARDING);
    }

    @Test
    void trailersEndABodyToo() {
        RequestContext context = begin();
        send(context, CHAT, false);
        fixture.chain().onTrailers(context, new DefaultHttp2Headers());
        assertThat(fixture.flow.last().request.promptTokens()).isEqualTo(3);
    }

    @Test
    void aBodyThatCannotBeReadCountsItsBytesAndGoesOn() {
        RequestContext context = begin();
        send(context, "{\"messages\":", true);
        assertThat(unreadable).isEqualTo(1);
        assertThat(fixture.flow.last().request.promptTokens()).isEqualTo(3);
        fixture.dispatch(0);
        assertThat(fixture.backend.last().body).asString().isEqualTo("{\"messages\":");
    }

    @Test
    void aBodyOfOtherPathsIsNotCollected() {
        RequestContext context = fixture.client.request();
        context.head().path("/v1/images/generations");
        fixture.chain().onRequest(context, false);
        assertThat(context.phase()).isEqualTo(Phase.QUEUED);
        send(context, "x", false);
        assertThat(fixture.client.credit).isZero();
    }

    @Test
    void aRequestWithoutABodyIsNotHeld() {
        RequestContext context = begin("content-length", "0");
        send(context, "", true);
        assertThat(fixture.flow.submissions).isEmpty();
        assertThat(context.phase()).isEqualTo(Phase.FORWARDING);
    }

    @Test
    void continueIsSaidBeforeTheBodyAndOnce() {
        RequestContext context = begin("expect", "100-continue", "content-length", Integer.toString(CHAT.length()));
        assertThat(fixture.client.informational).singleElement().satisfies(head -> assertThat(head.status()).hasToString("100"));
        send(context, CHAT, true);
        fixture.dispatch(0);
        assertThat(fixture.client.informational).hasSize(1);
        assertThat(fixture.backend.last().head.contains("expect")).isFalse();
    }

    @Test
    void aBodyThatIsKnownToBeTooLargeIsNotAskedFor() {
        fixture.maxBody = 10;
        begin("expect", "100-continue", "content-length", "11");
        assertThat(fixture.client.informational).isEmpty();
        assertThat(fixture.client.status()).isEqualTo("413");
    }

    @Test
    void aBodyThatGrowsTooLargeIsRefusedAndDropped() {
        fixture.maxBody = 10;
        RequestContext context = begin();
        send(context, "0123456789", false);
        send(context, "x", false);
        assertThat(fixture.client.status()).isEqualTo("413");
        assertThat(budget.held()).isZero();
        send(context, "y", true);
        assertThat(fixture.ends).containsExactly(EndCause.CLIENT_PROTOCOL);
    }

    @Test
    void aProcessThatHoldsEnoughRefusesMoreUntilSomethingLeaves() {
        RequestContext first = begin();
        send(first, "x".repeat(400), false);
        RecordingClient other = new RecordingClient(fixture.client.executor);
        RequestContext second = other.request();
        fixture.chain().onRequest(second, false);
        fixture.chain().onData(second, ChainFixture.bytes("x".repeat(301)), true);
        assertThat(other.status()).isEqualTo("503");
        assertThat(refused).isEqualTo(1);
        assertThat(budget.held()).isEqualTo(400);
        fixture.chain().onClosed(first, ClientGone.RESET);
        assertThat(budget.held()).isZero();
        assertThat(fixture.ends).containsExactly(EndCause.REFUSED, EndCause.CLIENT_RESET);
    }

    @Test
    void bodiesThatNeverEndLeaveRoomForSmallOnes() {
        for (int i = 0; i < 20; i++) {
            RecordingClient greedy = new RecordingClient(fixture.client.executor);
            RequestContext endless = greedy.request();
            fixture.client.requests.add(endless);
            fixture.chain().onRequest(endless, false);
            while (budget.held() < 950 && endless.body().received() + 20 <= 1000 - budget.held()) {
                fixture.chain().onData(endless, ChainFixture.bytes("0123456789"), false);
                assertThat(endless.phase()).isEqualTo(Phase.RECEIVED);
            }
        }
        assertThat(budget.held()).isGreaterThan(900);
        RequestContext small = begin();
        send(small, "{}", true);
        assertThat(small.phase()).isEqualTo(Phase.QUEUED);
    }

    @Test
    void aClientThatLeavesWhileItSendsLeavesNothing() {
        RequestContext context = begin();
        send(context, CHAT, false);
        fixture.chain().onClosed(context, ClientGone.DISCONNECTED);
        assertThat(fixture.ends).containsExactly(EndCause.CLIENT_DISCONNECT);
        assertThat(fixture.flow.submissions).isEmpty();
    }

    @Test
    void aLargeBodyCountsUntilTheBackendHasTakenIt() {
        BodyBudget large = new BodyBudget(1 << 20);
        fixture.collection = new BodyCollection(new PromptEstimator(), large, () -> unreadable++, () -> refused++);
        RequestContext context = begin();
        send(context, "x".repeat(100_000), true);
        fixture.backend.connectAtOnce = false;
        fixture.dispatch(0);
        fixture.backend.last().writable = false;
        fixture.backend.last().connected();
        assertThat(fixture.backend.last().ended).isTrue();
        assertThat(large.held()).isEqualTo(100_000);
        fixture.backend.last().writableAgain();
        assertThat(large.held()).isZero();
    }

    @Test
    void theFirstByteOfTheAnswersBodyIsToldToTheLeaseOnce() {
        RequestContext context = begin();
        send(context, CHAT, true);
        TwoLegs lease = new TwoLegs(fixture.endpoint, null);
        fixture.flow.last().dispatch(new FlowKey("a", 0), lease, 0);
        fixture.backend.last().answer("200", false);
        fixture.backend.last().answerData(Unpooled.EMPTY_BUFFER, false);
        assertThat(lease.firstBytes).as("a head and an empty part are no byte").isZero();
        fixture.backend.last().answerData(ChainFixture.bytes("a"), false);
        fixture.backend.last().answerData(ChainFixture.bytes("b"), false);
        assertThat(lease.firstBytes).isEqualTo(1);
        assertThat(lease.closed).isZero();
        fixture.backend.last().answerData(ChainFixture.bytes("c"), true);
        assertThat(lease.closed).isEqualTo(1);
    }

    @Test
    void thePrefillServerIsNamedToTheBackendAndTheClientsOwnWordIsNot() {
        RequestContext context = begin("x-prefiller-host-port", "evil:1");
        send(context, CHAT, true);
        fixture.flow.last().dispatch(new FlowKey("a", 0), new TwoLegs(fixture.endpoint, fixture.other), 0);
        assertThat(prefiller()).isEqualTo("127.0.0.1:8001");
        fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        fixture.flow.last().dispatch(new FlowKey("a", 0), new TwoLegs(fixture.other, ipv6()), 0);
        assertThat(prefiller()).as("placed anew").isEqualTo("[::1]:8002");
        fixture.backend.last().fail(UpstreamFault.Kind.CONNECT, false, false, false);
        fixture.flow.last().dispatch(new FlowKey("a", 0), new TwoLegs(ipv6(), null), 0);
        assertThat(prefiller()).isNull();
    }

    private static Endpoint ipv6() {
        return new Endpoint(new EndpointSpec("default", "six", "::1", 8002, Map.of()));
    }

    private @Nullable String prefiller() {
        CharSequence value = fixture.backend.last().head.get("x-prefiller-host-port");
        return value == null ? null : value.toString();
    }

    /** A charge on two endpoints. */
    private static final class TwoLegs implements Lease {
        private final Endpoint endpoint;
        private final @Nullable Endpoint prefill;
        private int firstBytes;
        private int closed;

        TwoLegs(Endpoint endpoint, @Nullable Endpoint prefill) {
            this.endpoint = endpoint;
            this.prefill = prefill;
        }

        @Override
        public Endpoint endpoint() {
            return endpoint;
        }

        @Override
        public @Nullable Endpoint prefill() {
            return prefill;
        }

        @Override
        public void firstByte() {
            firstBytes++;
        }

        @Override
        public void close() {
            closed++;
        }
    }
}
