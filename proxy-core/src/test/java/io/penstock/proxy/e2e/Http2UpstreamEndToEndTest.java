package io.penstock.proxy.e2e;

import static io.penstock.proxy.testkit.Http2Frame.HEADERS;
import static io.penstock.proxy.testkit.Http2Frame.RST_STREAM;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawBackend;
import io.penstock.proxy.testkit.Http2RawBackend.Peer;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.Http2Response;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole proxy before model servers that speak h2c. */
@Timeout(60)
class Http2UpstreamEndToEndTest {

    private static final int MAX_HEADER_LIST_SIZE = 6;
    private static final String PICKER = RunningProxy.PICKER.formatted(2_000);

    private static RunningProxy proxy(int loops, String more, Http2RawBackend... backends) {
        List<String> endpoints = new ArrayList<>();
        for (Http2RawBackend backend : backends) {
            endpoints.add(SocketBackend.endpoint("b" + endpoints.size(), backend.port()));
        }
        return RunningProxy.start(loops, List.of(), "endpoints: [" + String.join(", ", endpoints) + "]\nupstream: {protocol: h2c}\n" + more,
                PICKER);
    }

    private static Http2RawBackend backend(Http2RawBackend.Script script) throws IOException {
        return new Http2RawBackend(script);
    }

    @Test
    void aStreamedAnswerPassesPartByPart() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        try (Http2RawBackend backend = backend(peer -> {
            int stream = peer.greet().request();
            peer.headers(stream, false, ":status", "103", "link", "</a>");
            peer.headers(stream, false, ":status", "200", "content-type", "text/event-stream");
            peer.data(stream, "data: 1\n\n", false);
            await(first);
            peer.data(stream, "data: 2\n\n", false);
            peer.headers(stream, true, "checksum", "1");
            peer.drain();
        }); RunningProxy proxy = proxy(1, "", backend); Http2RawClient client = proxy.http2()) {
            int stream = Calls.post(client);
            Calls.awaitData(client, stream, "data: 1\n\n");
            first.countDown();
            Http2Response response = client.response(stream);
            assertThat(response.text()).isEqualTo("data: 1\n\ndata: 2\n\n");
            assertThat(response.informational()).hasSize(1);
            assertThat(response.trailers()).extracting(Object::toString).containsExactly("checksum: 1");
            assertThat(response.header(Calls.HEADROOM)).isPresent();
            proxy.awaitQuiet();
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void bodiesPassBothWaysAndForBothKindsOfClient() throws Exception {
        byte[] part = new byte[200_000];
        new Random(3).nextBytes(part);
        try (Http2RawBackend backend = backend(peer -> {
            peer.greet();
            while (true) {
                int stream = peer.request();
                peer.headers(stream, false, ":status", "200");
                peer.data(stream, peer.body(stream), true);
            }
        }); RunningProxy proxy = proxy(1, "", backend); Http2RawClient http2 = proxy.http2(); Http1RawClient http1 = proxy.http1()) {
            int stream = http2.open(Calls.head("POST"));
            http2.body(stream, part, true);
            assertThat(http2.response(stream).body()).isEqualTo(part);
            http1.send(Calls.http1("POST", part.length));
            http1.send(part);
            Http1Response response = http1.response();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo(part);
            assertThat(backend.accepted()).isEqualTo(1);
            proxy.awaitQuiet();
        }
    }

    @Test
    void aCancelReachesTheBackendAndNobodyElse() throws Exception {
        CompletableFuture<Http2Frame> reset = new CompletableFuture<>();
        try (Http2RawBackend backend = backend(peer -> {
            int given = peer.greet().request();
            int kept = peer.request();
            peer.headers(given, false, ":status", "200");
            peer.data(given, "data: 1\n\n", false);
            reset.complete(peer.await(RST_STREAM));
            peer.answer(kept, "kept");
            peer.drain();
        }); RunningProxy proxy = proxy(1, "", backend); Http2RawClient client = proxy.http2(); Http2RawClient other = proxy.http2()) {
            int given = Calls.post(client);
            client.roundTrip();
            int kept = Calls.post(other);
            Calls.awaitData(client, given, "data: 1\n\n");
            client.reset(given, Http2Frame.CANCEL);
            assertThat(other.response(kept).text()).isEqualTo("kept");
            assertThat(reset.get(10, SECONDS).errorCode()).isEqualTo(Http2Frame.CANCEL);
            assertThat(backend.accepted()).isEqualTo(1);
            proxy.awaitQuiet();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatABackendDidNotLookAtGoesToTheNextOne(boolean byGoAway) throws Exception {
        try (Http2RawBackend refusing = backend(peer -> {
            peer.greet();
            while (true) {
                int stream = peer.request();
                if (byGoAway) {
                    peer.goAway(0, Http2Frame.NO_ERROR);
                } else {
                    peer.reset(stream, Http2Frame.REFUSED_STREAM);
                }
            }
        }); Http2RawBackend good = Http2RawBackend.answering("good");
                RunningProxy proxy = proxy(1, "", refusing, good); Http2RawClient client = proxy.http2()) {
            for (int i = 0; i < 10; i++) {
                Http2Response response = client.response(Calls.post(client));
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.text()).isEqualTo("good");
            }
            double refused = proxy.metric("penstock_upstream_faults_total{kind=\"refused\"");
            assertThat(refused).isPositive().isEqualTo(proxy.metric("penstock_upstream_retries_total"));
            assertThat(proxy.proxy.endpoints()).as("that says nothing against it").allMatch(row -> row.health().equals("healthy"));
            proxy.awaitQuiet();
            assertThat(proxy.band(0).dispatchedTotal()).as("each was dispatched once").isEqualTo(10);
        }
    }

    @Test
    void aRequestThatAllRefuseIsGivenUpAtTheSecondRefusalOfOne() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Http2RawBackend.Script refusing = peer -> {
            peer.greet();
            while (true) {
                int stream = peer.request();
                asked.incrementAndGet();
                peer.reset(stream, Http2Frame.REFUSED_STREAM);
            }
        };
        try (Http2RawBackend one = backend(refusing); Http2RawBackend two = backend(refusing);
                RunningProxy proxy = proxy(1, "", one, two); Http2RawClient client = proxy.http2()) {
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(503);
            assertThat(asked).as("as where no endpoint can be reached").hasValue(3);
            proxy.awaitQuiet();
        }
    }

    @Test
    void theOnlyBackendMayReplaceItsConnection() throws Exception {
        try (Http2RawBackend backend = backend(peer -> {
            boolean first = peer.greet().number() == 0;
            while (true) {
                int stream = peer.request();
                if (first) {
                    peer.goAway(0, Http2Frame.NO_ERROR);
                } else {
                    peer.answer(stream, "again");
                }
            }
        }); RunningProxy proxy = proxy(1, "", backend); Http2RawClient client = proxy.http2()) {
            assertThat(client.response(Calls.post(client)).text()).isEqualTo("again");
            assertThat(backend.accepted()).isEqualTo(2);
            proxy.awaitQuiet();
        }
    }

    @Test
    void aBackendThatIsKilledCostsEachOfItsRequestsOneAnswer() throws Exception {
        CountDownLatch arrived = new CountDownLatch(100);
        try (Http2RawBackend backend = backend(peer -> {
            boolean first = peer.greet().number() == 0;
            for (int i = 0;; i++) {
                int stream = peer.request();
                if (!first) {
                    peer.answer(stream, "alive");
                } else if (i % 2 == 0) {
                    peer.headers(stream, false, ":status", "200");
                    peer.data(stream, "x", false);
                }
                arrived.countDown();
            }
        }); RunningProxy proxy = proxy(1, "", backend); Http2RawClient client = proxy.http2()) {
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                streams.add(Calls.post(client));
            }
            await(arrived);
            for (int i = 0; i < 50; i++) {
                int expected = i + 1;
                client.await("the head of half the answers", frame -> client.frames().stream()
                        .filter(f -> f.type() == HEADERS).count() >= expected);
            }
            backend.kill();
            int reset = 0;
            for (int stream : streams) {
                Http2Response response = client.response(stream);
                assertThat(client.frames(HEADERS, stream)).hasSize(1);
                if (response.status() == 200) {
                    assertThat(response.resetCode()).isEqualTo(Http2Frame.INTERNAL_ERROR);
                    reset++;
                } else {
                    assertThat(response.status()).isEqualTo(503);
                }
            }
            assertThat(reset).isEqualTo(50);
            proxy.awaitQuiet();
            assertThat(client.response(Calls.post(client)).text()).isEqualTo("alive");
            proxy.awaitQuiet();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aThousandRequestsAtOnceNeedFewConnections(int loops) throws Exception {
        CountDownLatch arrived = new CountDownLatch(1_000);
        Queue<Answer> held = new ConcurrentLinkedQueue<>();
        try (Http2RawBackend backend = backend(peer -> {
            peer.greet();
            while (true) {
                held.add(new Answer(peer, peer.request()));
                arrived.countDown();
            }
        }); RunningProxy proxy = proxy(loops, "", backend)) {
            List<Http2RawClient> clients = new ArrayList<>();
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                clients.add(proxy.http2());
            }
            for (int i = 0; i < 1_000; i++) {
                streams.add(Calls.post(clients.get(i % 10)));
            }
            await(arrived);
            for (Answer answer : held) {
                answer.peer().answer(answer.stream(), "ok " + answer.stream());
            }
            for (int i = 0; i < 1_000; i++) {
                assertThat(clients.get(i % 10).response(streams.get(i)).text()).startsWith("ok ");
            }
            assertThat(backend.accepted()).isBetween(10, 10 + loops);
            proxy.awaitQuiet();
        }
    }

    /** A request that waits for its answer. */
    private record Answer(Peer peer, int stream) {
    }

    @Test
    void aRequestThatGetsNoAnswerCostsItsStreamOnly() throws Exception {
        CompletableFuture<Http2Frame> reset = new CompletableFuture<>();
        try (Http2RawBackend backend = backend(peer -> {
            peer.greet().request();
            reset.complete(peer.await(RST_STREAM));
            peer.answer(peer.request(), "ok");
            peer.drain();
        }); RunningProxy proxy = proxy(1, "timeouts: {responseHeaders: 1s}\n", backend); Http2RawClient client = proxy.http2()) {
            assertThat(client.response(Calls.post(client)).status()).isEqualTo(504);
            assertThat(reset.get(10, SECONDS).errorCode()).isEqualTo(Http2Frame.CANCEL);
            assertThat(client.response(Calls.post(client)).text()).isEqualTo("ok");
            assertThat(backend.accepted()).isEqualTo(1);
            proxy.awaitQuiet();
        }
    }

    @Test
    void theMostFieldsThatABackendMaySendLeaveRoomForTheProxys() throws Exception {
        List<String> head = new ArrayList<>(List.of(":status", "200"));
        for (int i = 0; i < 100; i++) {
            head.addAll(List.of("x-" + i, "v"));
        }
        try (Http2RawBackend backend = backend(peer -> {
            peer.headers(peer.greet().request(), true, head.toArray(String[]::new));
            peer.drain();
        }); RunningProxy proxy = proxy(1, "", backend); Http2RawClient client = proxy.http2()) {
            Http2Response response = client.response(Calls.post(client));
            assertThat(response.header(Calls.HEADROOM)).isPresent();
            assertThat(response.header("x-99")).hasValue("v");
        }
    }

    @Test
    void aHeadAboveTheBackendsLimitIsTheClientsToChange() throws Exception {
        try (Http2RawBackend backend = backend(peer -> {
            peer.greet(MAX_HEADER_LIST_SIZE, 1_000);
            peer.answer(peer.request(), "ok");
            peer.drain();
        }); RunningProxy proxy = proxy(1, "", backend); Http2RawClient client = proxy.http2()) {
            assertThat(client.response(Calls.post(client, "x-large", "v".repeat(1_000))).status()).isEqualTo(431);
            assertThat(client.response(Calls.post(client, "x-small", "v")).text()).isEqualTo("ok");
            assertThat(backend.accepted()).isEqualTo(1);
            proxy.awaitQuiet();
        }
    }
}
