package io.penstock.proxy.upstream;

import static io.penstock.proxy.testkit.Http2Frame.GOAWAY;
import static io.penstock.proxy.testkit.Http2Frame.PING;
import static io.penstock.proxy.upstream.ClientLoop.get;
import static io.penstock.proxy.upstream.ClientLoop.h2c;
import static io.penstock.proxy.upstream.ClientLoop.request;
import static io.penstock.proxy.upstream.Http2Backend.MAX_CONCURRENT_STREAMS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.RequestContext;
import io.penstock.proxy.request.UpstreamExchange;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamFault.Kind;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawBackend.Peer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How HTTP/2 connections to a backend come, are shared, and go. */
@Timeout(30)
@ParameterizedClass
@MethodSource("io.penstock.proxy.upstream.Transports#all")
class Http2ConnectorTest {

    private static final UpstreamFault NO_CONNECTION = new UpstreamFault(Kind.CONNECT, false, false, false);

    @Parameter
    Transport transport;

    private final Counts events = new Counts();
    private ClientLoop client;

    @BeforeEach
    void start() {
        client = new ClientLoop(transport, h2c(Duration.ofSeconds(2), Duration.ofSeconds(4), 10), events);
    }

    private void restart(Duration connectTimeout, Duration idleTimeout, int maxConnections) {
        client.close();
        client = new ClientLoop(transport, h2c(connectTimeout, idleTimeout, maxConnections), events);
    }

    @AfterEach
    void noBufferLeaks() {
        client.close();
    }

    private List<Recorder> openMany(Http2Backend backend, int count) throws Exception {
        return client.on(() -> {
            List<Recorder> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Recorder recorder = new Recorder(request(get("/" + i), ""));
                client.connector.open(backend.endpoint(), ClientLoop.context(), recorder);
                all.add(recorder);
            }
            return all;
        });
    }

    private static void assertAnswered(List<Recorder> all) throws Exception {
        for (Recorder recorder : all) {
            assertThat(recorder.over.get(10, SECONDS)).isTrue();
            assertThat(recorder.body()).isEqualTo("ok");
        }
    }

    /** Takes requests until there are that many, then answers them all, the last one first. */
    private static void answerTogether(Peer peer, int count) throws IOException {
        List<Integer> streams = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            streams.add(0, peer.request());
        }
        for (int stream : streams) {
            peer.answer(stream, "ok");
        }
    }

    @Test
    void requestsAtOnceShareAConnection() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            answerTogether(peer.greet(), 50);
            answerTogether(peer, 50);
            peer.drain();
        })) {
            assertAnswered(openMany(backend, 50));
            assertAnswered(openMany(backend, 50));
            assertThat(backend.accepted()).isEqualTo(1);
            assertThat(client.limit.open(backend.endpoint())).isEqualTo(1);
            assertThat(events.connected).hasValue(1);
            assertThat(events.reused).as("those that waited for the connect do not count").hasValue(50);
        }
    }

    @Test
    void noRequestIsSentBeforeTheBackendHasSpoken() throws Exception {
        CompletableFuture<Void> silent = new CompletableFuture<>();
        CountDownLatch preface = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.preface();
            preface.countDown();
            silent.join();
            peer.settings();
            peer.answer(peer.request(), "ok");
            peer.drain();
        })) {
            Recorder recorder = openMany(backend, 1).get(0);
            assertThat(preface.await(10, SECONDS)).isTrue();
            client.onLoop(() -> { });
            assertThat(recorder.calls).isEmpty();
            silent.complete(null);
            assertAnswered(List.of(recorder));
        }
    }

    @Test
    void aFurtherConnectionIsMadeWhereTheBackendTakesNoMoreOnOne() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            answerTogether(peer.greet(MAX_CONCURRENT_STREAMS, 4), 4);
            peer.drain();
        })) {
            assertAnswered(openMany(backend, 12));
            assertThat(backend.accepted()).as("4 on the first, 8 that had waited for it on two more").isEqualTo(3);
        }
    }

    @Test
    void resetsThatTheBackendHasNotReadKeepTheirPlaces() throws Exception {
        CompletableFuture<Void> reading = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.greet();
            peer.answer(peer.request(), "ok");
            if (peer.number() == 0) {
                reading.join();
            }
            while (true) {
                peer.answer(peer.request(), peer.number() == 0 ? "first" : "second");
            }
        })) {
            assertAnswered(openMany(backend, 1));
            client.onLoop(() -> {
                for (int i = 0; i < Http2Connector.MAX_STREAMS; i++) {
                    client.connector.open(backend.endpoint(), ClientLoop.context(), new Recorder(request(get("/" + i), ""))).abort();
                }
            });
            assertThat(client.get(backend.endpoint()).body()).as("the first one's places are all taken").isEqualTo("ok");
            assertThat(client.get(backend.endpoint()).body()).isEqualTo("second");
            assertThat(backend.accepted()).isEqualTo(2);

            reading.complete(null);
            await().until(() -> client.get(backend.endpoint()).body().equals("first"));
            assertThat(backend.accepted()).isEqualTo(2);
        } finally {
            reading.complete(null);
        }
    }

    @Test
    void aConnectionCarriesNoMoreThanItsMostHoweverManyTheBackendAllows() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            answerTogether(peer.greet(), Http2Connector.MAX_STREAMS);
            peer.drain();
        })) {
            assertAnswered(openMany(backend, 3 * Http2Connector.MAX_STREAMS));
            assertThat(backend.accepted()).isEqualTo(3);
        }
    }

    @Test
    void whereAllConnectionsAreFullARequestIsRefusedAtOnce() throws Exception {
        restart(Duration.ofSeconds(2), Duration.ofSeconds(4), 2);
        try (Http2Backend backend = Http2Backend.of(peer -> {
            answerTogether(peer.greet(MAX_CONCURRENT_STREAMS, 3), 3);
            peer.drain();
        })) {
            List<Recorder> all = openMany(backend, 7);
            Recorder last = all.remove(6);
            assertThat(last.over.get(10, SECONDS)).isFalse();
            assertThat(last.fault.get()).isEqualTo(new UpstreamFault(Kind.OVERFLOW, false, false, false));
            assertAnswered(all);
            assertThat(events.overflows).hasValue(1);
        }
    }

    @Test
    void aBackendThatTakesNoRequestsRefusesThemWithoutAnEndlessSearch() throws Exception {
        restart(Duration.ofSeconds(2), Duration.ofSeconds(4), 3);
        try (Http2Backend backend = Http2Backend.of(peer -> peer.greet(MAX_CONCURRENT_STREAMS, 0).drain())) {
            for (Recorder recorder : openMany(backend, 5)) {
                assertThat(recorder.over.get(10, SECONDS)).isFalse();
                assertThat(recorder.fault.get().kind()).isEqualTo(Kind.OVERFLOW);
            }
            assertThat(backend.accepted()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void aLimitThatTheBackendLowersHoldsFromThenOn() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int first = peer.greet(MAX_CONCURRENT_STREAMS, 10).request();
            peer.settings(MAX_CONCURRENT_STREAMS, 1);
            peer.answer(first, "ok");
            answerTogether(peer, 1);
            peer.drain();
        })) {
            assertAnswered(openMany(backend, 1));
            client.onLoop(() -> { });
            assertThat(openMany(backend, 2)).hasSize(2);
            await().until(() -> backend.accepted() == 2);
        }
    }

    @Test
    void aRefusedConnectFailsAllThatWaitedForIt() throws Exception {
        Http2Backend gone = Http2Backend.answering("ok");
        gone.close();
        for (Recorder recorder : openMany(gone, 3)) {
            recorder.over.get(10, SECONDS);
            assertThat(recorder.fault.get()).isEqualTo(NO_CONNECTION);
        }
        await().until(() -> client.limit.open(gone.endpoint()) == 0);
        assertThat(events.connectFailures).as("one connection").hasValue(1);
    }

    @Test
    void aBackendThatSpeaksHttp1IsNoBackend() throws Exception {
        try (RawBackend backend = RawBackend.answering("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")) {
            assertThat(client.get(backend.endpoint()).fault.get()).isEqualTo(NO_CONNECTION);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
            assertThat(events.connectFailures).hasValue(1);
            assertThat(events.malformed).hasValue(0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBackendThatSaysNothingOrClosesIsNoBackend(boolean closes) throws Exception {
        restart(Duration.ofMillis(100), Duration.ofSeconds(4), 10);
        try (Http2Backend backend = Http2Backend.of(peer -> {
            if (peer.silent().preface() && !closes) {
                peer.drain();
            }
        })) {
            assertThat(client.get(backend.endpoint()).fault.get()).isEqualTo(NO_CONNECTION);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @Test
    void aHostThatDidNotResolveIsAConnectFault() throws Exception {
        Endpoint nowhere = new Endpoint(new EndpointSpec("default", "x", "no-such-host.invalid", 80, Map.of()));
        Recorder recorder = new Recorder(exchange -> { });
        List<String> inside = client.on(() -> {
            client.connector.open(nowhere, ClientLoop.context(), recorder);
            return List.copyOf(recorder.calls);
        });
        assertThat(inside).as("an open does not fail before it returns").isEmpty();
        recorder.over.get(10, SECONDS);
        assertThat(recorder.fault.get()).isEqualTo(NO_CONNECTION);
        await().until(() -> client.limit.open(nowhere) == 0);
    }

    @Test
    void aConnectThatNobodyWaitsForAnyMoreIsGivenUp() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.silent().preface();
            peer.drain();
        })) {
            List<Recorder> all = new ArrayList<>();
            List<UpstreamExchange> exchanges = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                all.add(new Recorder(exchange -> { }));
                exchanges.add(client.open(backend.endpoint(), all.get(i)));
            }
            client.onLoop(exchanges.get(0)::abort);
            assertThat(client.limit.open(backend.endpoint())).isEqualTo(1);
            client.onLoop(exchanges.get(1)::abort);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
            assertThat(all).allMatch(recorder -> recorder.calls.isEmpty());
        }
    }

    @Test
    void anIdleConnectionSaysGoodbyeAfterTheTimeout() throws Exception {
        restart(Duration.ofSeconds(2), Duration.ofMillis(80), 10);
        CompletableFuture<Http2Frame> goodbye = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.answer(peer.greet().request(), "ok");
            goodbye.complete(peer.await(GOAWAY));
            peer.drain();
        })) {
            client.get(backend.endpoint());
            assertThat(goodbye.get(10, SECONDS).errorCode()).isEqualTo(Http2Frame.NO_ERROR);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @Test
    void aConnectionPastTheIdleTimeoutIsNeverHandedOut() throws Exception {
        try (Http2Backend backend = Http2Backend.answering("ok")) {
            client.get(backend.endpoint());
            client.clockOffset.addAndGet(Duration.ofSeconds(4).toNanos());
            assertThat(client.get(backend.endpoint()).over.get()).isTrue();
            assertThat(backend.accepted()).isEqualTo(2);
        }
    }

    /** Lets the time pass in which the PING must be sent, but not that in which it must be answered: that is the machine's own. */
    private void quietUntil(BooleanSupplier pinged) throws Exception {
        // What the backend has sent so far is heard by then.
        client.onLoop(() -> { });
        client.onLoop(() -> { });
        AtomicInteger seconds = new AtomicInteger();
        await().until(() -> {
            if (seconds.incrementAndGet() <= 25) {
                client.clockOffset.addAndGet(Duration.ofSeconds(1).toNanos());
            }
            return pinged.getAsBoolean();
        });
    }

    @Test
    void aBackendThatDiesInSilenceIsFoundOut() throws Exception {
        restart(Duration.ofSeconds(2), Duration.ofMillis(80), 10);
        CountDownLatch pinged = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.noPingAck().greet().request();
            peer.await(PING);
            pinged.countDown();
            peer.drain();
        })) {
            Recorder recorder = openMany(backend, 1).get(0);
            recorder.connected.get(10, SECONDS);
            quietUntil(() -> pinged.getCount() == 0);
            assertThat(recorder.over).isNotDone();
            client.clockOffset.addAndGet(Http2Connector.QUIET_NANOS);
            assertThat(recorder.over.get(10, SECONDS)).isFalse();
            assertThat(recorder.fault.get().kind()).isEqualTo(Kind.CLOSED);
        }
    }

    @Test
    void aBackendThatAnswersThePingMayTakeItsTime() throws Exception {
        restart(Duration.ofSeconds(2), Duration.ofMillis(80), 10);
        CountDownLatch pinged = new CountDownLatch(3);
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int stream = peer.greet().request();
            while (pinged.getCount() > 0) {
                peer.await(PING);
                pinged.countDown();
            }
            peer.answer(stream, "ok");
            peer.drain();
        })) {
            Recorder recorder = openMany(backend, 1).get(0);
            recorder.connected.get(10, SECONDS);
            for (int i = 2; i >= 0; i--) {
                int left = i;
                quietUntil(() -> pinged.getCount() == left);
            }
            assertAnswered(List.of(recorder));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEndpointThatHasGoneKeepsItsConnectionUntilTheLastResponse(boolean retain) throws Exception {
        CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int slow = peer.greet().request();
            mayAnswer.join();
            peer.answer(slow, "ok");
            peer.drain();
        })) {
            Recorder slow = openMany(backend, 1).get(0);
            slow.connected.get(10, SECONDS);
            if (retain) {
                client.connector.retain(Set.of());
            } else {
                client.connector.remove(backend.endpoint());
            }
            client.onLoop(() -> { });
            assertThat(client.limit.open(backend.endpoint())).isEqualTo(1);
            mayAnswer.complete(null);
            assertAnswered(List.of(slow));
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @Test
    void closeFailsWhatRunsAndWhatComes() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> peer.greet().drain())) {
            Recorder running = openMany(backend, 1).get(0);
            running.connected.get(10, SECONDS);
            client.connector.close();
            assertThat(running.over.get(10, SECONDS)).isFalse();
            assertThat(running.fault.get().kind()).isEqualTo(Kind.CLOSED);
            assertThat(client.get(backend.endpoint()).fault.get()).isEqualTo(NO_CONNECTION);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @Test
    void aRequestFromInsideTheEndOfAnotherTakesItsPlace() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.greet(MAX_CONCURRENT_STREAMS, 2);
            peer.answer(peer.request(), "ok");
            peer.answer(peer.request(), "ok");
            peer.drain();
        })) {
            Recorder second = new Recorder(request(get("/"), ""));
            client.open(backend.endpoint(), new Recorder(request(get("/"), "")) {
                @Override
                public void onData(RequestContext context, ByteBuf data, boolean last) {
                    super.onData(context, data, last);
                    if (last) {
                        client.connector.open(backend.endpoint(), context, second);
                    }
                }
            });
            assertAnswered(List.of(second));
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    /** What the connector reported. */
    private static final class Counts implements UpstreamEvents {
        final AtomicInteger connected = new AtomicInteger();
        final AtomicInteger reused = new AtomicInteger();
        final AtomicInteger overflows = new AtomicInteger();
        final AtomicInteger connectFailures = new AtomicInteger();
        final AtomicInteger malformed = new AtomicInteger();

        @Override
        public void connected(Endpoint endpoint, long nanos) {
            connected.incrementAndGet();
        }

        @Override
        public void connectFailed(Endpoint endpoint) {
            connectFailures.incrementAndGet();
        }

        @Override
        public void reused(Endpoint endpoint) {
            reused.incrementAndGet();
        }

        @Override
        public void overflow(Endpoint endpoint) {
            overflows.incrementAndGet();
        }

        @Override
        public void malformed(Endpoint endpoint) {
            malformed.incrementAndGet();
        }
    }
}
