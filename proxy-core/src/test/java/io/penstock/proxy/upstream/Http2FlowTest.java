package io.penstock.proxy.upstream;

import static io.penstock.proxy.testkit.Http2Frame.HEADERS;
import static io.penstock.proxy.testkit.Http2Frame.RST_STREAM;
import static io.penstock.proxy.testkit.Http2Frame.WINDOW_UPDATE;
import static io.penstock.proxy.upstream.ClientLoop.get;
import static io.penstock.proxy.upstream.ClientLoop.h2c;
import static io.penstock.proxy.upstream.ClientLoop.head;
import static io.penstock.proxy.upstream.ClientLoop.request;
import static io.penstock.proxy.upstream.Http2Backend.INITIAL_WINDOW_SIZE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
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
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How requests and responses flow over a shared HTTP/2 connection, and how each ends without the others. */
@Timeout(30)
@ParameterizedClass
@MethodSource("io.penstock.proxy.upstream.Transports#all")
class Http2FlowTest {

    @Parameter
    Transport transport;

    private ClientLoop client;

    @BeforeEach
    void start() {
        client = new ClientLoop(transport, h2c(Duration.ofSeconds(2), Duration.ofSeconds(4), 10));
    }

    @AfterEach
    void noBufferLeaks() {
        client.close();
    }

    private Recorder open(Http2Backend backend, Http2Headers head, String body) throws Exception {
        Recorder recorder = new Recorder(request(head, body));
        client.open(backend.endpoint(), recorder);
        return recorder;
    }

    private static byte[] random(int bytes) {
        byte[] body = new byte[bytes];
        new Random(7).nextBytes(body);
        return body;
    }

    // The request.

    @Test
    void aLargeBodyGoesOutAsTheWindowsAllow() throws Exception {
        byte[] body = random(300_000);
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int stream = peer.greet(INITIAL_WINDOW_SIZE, 1_000).request();
            got.complete(peer.body(stream));
            peer.answer(stream, "ok");
            peer.drain();
        })) {
            Recorder recorder = client.run(backend.endpoint(), exchange -> {
                exchange.headers(head("POST", "/"), false);
                exchange.data(Unpooled.copiedBuffer(body), true);
            });
            assertThat(recorder.body()).isEqualTo("ok");
            assertThat(got.get(10, SECONDS)).isEqualTo(body);
        }
    }

    @Test
    void anExchangeIsWritableAsLongAsLittleWaitsForItsWindow() throws Exception {
        Semaphore credit = new Semaphore(0);
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.noWindowUpdates().greet(INITIAL_WINDOW_SIZE, 0);
            int stream = peer.await(HEADERS).stream();
            credit.acquireUninterruptibly();
            peer.windowUpdate(stream, Http2Exchange.HIGH_WATER);
            peer.drain();
        })) {
            Recorder slow = new Recorder(exchange -> {
                exchange.headers(head("POST", "/"), false);
                assertThat(exchange.writable()).isTrue();
                exchange.data(Unpooled.wrappedBuffer(new byte[Http2Exchange.HIGH_WATER]), false);
                assertThat(exchange.writable()).isFalse();
            });
            client.open(backend.endpoint(), slow);
            UpstreamExchange exchange = slow.connected.get(10, SECONDS);
            client.onLoop(() -> { });
            assertThat(slow.calls).containsExactly("connected");
            credit.release();
            await().until(() -> slow.calls.contains("writable"));
            assertThat(client.on(exchange::writable)).isTrue();
            client.onLoop(exchange::abort);
        }
    }

    @Test
    void theDeclaredLengthEndsTheRequestAndAnotherOneIsRefused() throws Exception {
        CompletableFuture<Http2Frame> reset = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.answer(peer.greet().request(), "ok");
            reset.complete(peer.await(RST_STREAM));
            peer.drain();
        })) {
            Recorder whole = client.run(backend.endpoint(), exchange -> {
                exchange.headers(head("POST", "/").set("content-length", "3"), false);
                exchange.data(Unpooled.copiedBuffer("abc", java.nio.charset.StandardCharsets.US_ASCII), false);
            });
            assertThat(whole.body()).isEqualTo("ok");
            Recorder shorter = new Recorder(exchange -> {
                exchange.headers(head("POST", "/").set("content-length", "3"), false);
                assertThatThrownBy(() -> exchange.data(Unpooled.wrappedBuffer(new byte[2]), true))
                        .isInstanceOf(IllegalArgumentException.class);
            });
            client.open(backend.endpoint(), shorter);
            assertThat(reset.get(10, SECONDS).errorCode()).isEqualTo(Http2Frame.CANCEL);
            assertThat(shorter.calls).containsExactly("connected");
        }
    }

    @Test
    void aHeadThatHttp2CannotCarryIsRefusedAndHarmsNobody() throws Exception {
        try (Http2Backend backend = Http2Backend.answering("ok")) {
            Recorder refused = new Recorder(exchange -> assertThatThrownBy(
                    () -> exchange.headers(head("GET", "/").set("a", "b\r\nc: d"), true)).isInstanceOf(IllegalArgumentException.class));
            client.open(backend.endpoint(), refused);
            await().until(() -> refused.calls.contains("connected"));
            assertThat(client.get(backend.endpoint()).body()).isEqualTo("ok");
            assertThat(refused.calls).containsExactly("connected");
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    @Test
    void trailersEndTheBodyAndGoNoFurther() throws Exception {
        CompletableFuture<List<Http2Frame>> heads = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int stream = peer.greet().request();
            heads.complete(peer.frames(HEADERS, stream));
            peer.answer(stream, "ok");
            peer.drain();
        })) {
            Recorder recorder = client.run(backend.endpoint(), exchange -> {
                exchange.headers(head("POST", "/"), false);
                exchange.data(Unpooled.wrappedBuffer(new byte[3]), false);
                exchange.trailers(new DefaultHttp2Headers().set("a", "b"));
            });
            assertThat(recorder.body()).isEqualTo("ok");
            assertThat(heads.get(10, SECONDS)).hasSize(1);
        }
    }

    @Test
    void aResponseBeforeTheEndOfTheRequestEndsBothAndTheConnectionGoesOn() throws Exception {
        CompletableFuture<Http2Frame> reset = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.answer(peer.greet().await(HEADERS).stream(), "early");
            reset.complete(peer.await(RST_STREAM));
            peer.answer(peer.request(), "ok");
            peer.drain();
        })) {
            Recorder early = client.run(backend.endpoint(), exchange -> {
                exchange.headers(head("POST", "/"), false);
                exchange.data(Unpooled.wrappedBuffer(new byte[100_000]), false);
            });
            assertThat(early.body()).isEqualTo("early");
            assertThat(reset.get(10, SECONDS).errorCode()).isEqualTo(Http2Frame.NO_ERROR);
            assertThat(client.get(backend.endpoint()).body()).isEqualTo("ok");
        }
    }

    // The response.

    @Test
    void aResponseThatIsNotReadStopsAtItsWindowAndStopsNoOther() throws Exception {
        int large = 2 << 20;
        byte[] body = random(large);
        BlockingQueue<Long> sent = new LinkedBlockingQueue<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int stream = peer.greet().request();
            peer.headers(stream, false, ":status", "200");
            long window = 256 << 10;
            int at = 0;
            while (at < large) {
                while (window == 0) {
                    sent.add((long) at);
                    window += creditOrAnswer(peer, stream);
                }
                int bytes = (int) Math.min(Math.min(window, 16_000), large - at);
                peer.data(stream, java.util.Arrays.copyOfRange(body, at, at + bytes), at + bytes == large);
                at += bytes;
                window -= bytes;
            }
            peer.drain();
        })) {
            Recorder slow = new Recorder(request(get("/"), "")) {
                @Override
                public void onHeaders(RequestContext context, Http2Headers head, boolean last) {
                    super.onHeaders(context, head, last);
                    connected.join().readable(false);
                }
            };
            UpstreamExchange exchange = client.open(backend.endpoint(), slow);
            assertThat(sent.take()).isEqualTo(256 << 10);
            await().until(() -> slow.bytes().length == 256 << 10);
            assertThat(client.get(backend.endpoint()).body()).as("a neighbour").isEqualTo("ok");
            assertThat(sent).isEmpty();
            client.onLoop(() -> exchange.readable(true));
            assertThat(slow.over.get(10, SECONDS)).isTrue();
            assertThat(slow.bytes()).isEqualTo(body);
        }
    }

    /** Credit for the stream; a request on another one is answered at once. */
    private static long creditOrAnswer(Peer peer, int stream) throws IOException {
        while (true) {
            Http2Frame frame = peer.next();
            if (frame == null) {
                throw new IOException("closed");
            }
            if (frame.is(WINDOW_UPDATE, stream)) {
                return frame.increment();
            }
            if (frame.ends()) {
                peer.answer(frame.stream(), "ok");
            }
        }
    }

    @Test
    void anAbortResetsItsStreamAndNothingElse() throws Exception {
        CompletableFuture<Http2Frame> reset = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int given = peer.greet().request();
            int kept = peer.request();
            peer.headers(given, false, ":status", "200");
            peer.data(given, "data: 1", false);
            Http2Frame frame = peer.await(RST_STREAM);
            peer.data(given, "too late", false);
            peer.data(given, "and the end", true);
            reset.complete(frame);
            peer.answer(kept, "ok");
            peer.answer(peer.request(), "ok");
            peer.drain();
        })) {
            Recorder given = open(backend, get("/"), "");
            Recorder kept = open(backend, get("/"), "");
            await().until(() -> given.body().equals("data: 1"));
            UpstreamExchange exchange = given.connected.get();
            client.onLoop(exchange::abort);
            assertThat(reset.get(10, SECONDS).errorCode()).isEqualTo(Http2Frame.CANCEL);
            assertThat(reset.get().stream()).isEqualTo(1);
            assertThat(kept.over.get(10, SECONDS)).isTrue();
            assertThat(client.get(backend.endpoint()).body()).isEqualTo("ok");
            assertThat(given.calls).containsExactly("connected", "headers", "data");
            ByteBuf late = Unpooled.buffer(1);
            client.onLoop(() -> {
                exchange.abort();
                exchange.readable(true);
                exchange.data(late, true);
            });
            assertThat(late.refCnt()).isZero();
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    // Ends that nobody wanted.

    private static UpstreamFault fault(Kind kind, boolean started, boolean sent) {
        return new UpstreamFault(kind, false, started, sent);
    }

    @Test
    void aRefusedStreamSaysSoAndTheConnectionGoesOn() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.reset(peer.greet().request(), Http2Frame.REFUSED_STREAM);
            peer.answer(peer.request(), "ok");
            peer.drain();
        })) {
            assertThat(client.get(backend.endpoint()).fault.get()).isEqualTo(fault(Kind.REFUSED, false, true));
            assertThat(client.get(backend.endpoint()).body()).isEqualTo("ok");
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Http2Frame.NO_ERROR, Http2Frame.INTERNAL_ERROR, Http2Frame.CANCEL, 0xd, 0x1234})
    void anyOtherResetMayHaveDoneTheWork(int code) throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.reset(peer.greet().request(), code);
            int second = peer.request();
            peer.headers(second, false, ":status", "200");
            peer.reset(second, Http2Frame.REFUSED_STREAM);
            peer.drain();
        })) {
            assertThat(client.get(backend.endpoint()).fault.get()).isEqualTo(fault(Kind.CLOSED, false, true));
            assertThat(client.get(backend.endpoint()).fault.get()).as("after a head").isEqualTo(fault(Kind.CLOSED, true, true));
        }
    }

    @Test
    void aResetInMidUploadSaysThatNotAllWasSent() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int stream = peer.greet().await(HEADERS).stream();
            peer.reset(stream, Http2Frame.INTERNAL_ERROR);
            peer.drain();
        })) {
            Recorder recorder = client.run(backend.endpoint(), exchange -> {
                exchange.headers(head("POST", "/"), false);
                exchange.data(Unpooled.wrappedBuffer(new byte[100_000]), true);
            });
            assertThat(recorder.fault.get()).isEqualTo(fault(Kind.CLOSED, false, false));
        }
    }

    @Test
    void aGoAwayRefusesWhatItLeavesOutAndLetsTheRestEnd() throws Exception {
        CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.greet();
            if (peer.number() > 0) {
                peer.answer(peer.request(), "ok");
                peer.drain();
                return;
            }
            int first = peer.request();
            peer.request();
            peer.goAway(first, Http2Frame.NO_ERROR);
            mayAnswer.join();
            peer.answer(first, "ok");
            peer.drain();
        })) {
            Recorder kept = open(backend, get("/"), "");
            Recorder refused = open(backend, get("/"), "");
            assertThat(refused.over.get(10, SECONDS)).isFalse();
            assertThat(refused.fault.get()).isEqualTo(fault(Kind.REFUSED, false, true));
            assertThat(client.get(backend.endpoint()).body()).as("on another connection").isEqualTo("ok");
            assertThat(backend.accepted()).isEqualTo(2);
            assertThat(kept.over).isNotDone();
            mayAnswer.complete(null);
            assertThat(kept.over.get(10, SECONDS)).isTrue();
            await().until(() -> client.limit.open(backend.endpoint()) == 1);
        }
    }

    @Test
    void aGoAwayThatOnlyAnnouncesLetsAllEnd() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int first = peer.greet().request();
            int second = peer.request();
            peer.goAway(Integer.MAX_VALUE, Http2Frame.NO_ERROR);
            peer.answer(second, "ok");
            peer.answer(first, "ok");
            peer.drain();
        })) {
            Recorder first = open(backend, get("/"), "");
            Recorder second = open(backend, get("/"), "");
            assertThat(first.over.get(10, SECONDS)).isTrue();
            assertThat(second.over.get(10, SECONDS)).isTrue();
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionThatDiesFailsEachOfItsExchangesOnce(boolean byReset) throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int begun = peer.greet().request();
            for (int i = 1; i < 100; i++) {
                peer.request();
            }
            peer.headers(begun, false, ":status", "200");
            peer.data(begun, "x", false);
            // Read by the proxy before the end, or the end would come first.
            peer.await(RST_STREAM);
            if (byReset) {
                peer.kill();
            }
        })) {
            List<Recorder> all = new ArrayList<>();
            for (int i = 0; i < 101; i++) {
                all.add(open(backend, get("/"), ""));
            }
            await().until(() -> all.get(0).body().equals("x"));
            client.onLoop(all.remove(1).connected.get()::abort);
            for (Recorder recorder : all.subList(0, 99)) {
                assertThat(recorder.over.get(10, SECONDS)).isFalse();
                assertThat(recorder.calls).containsOnlyOnce("failed").last().isEqualTo("failed");
            }
            assertThat(all.get(0).fault.get()).isEqualTo(fault(Kind.CLOSED, true, true));
            assertThat(all.subList(1, 99)).allMatch(one -> one.fault.join().equals(fault(Kind.CLOSED, false, true)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anIdleConnectionThatDiesUnderRequestsSaysSo(boolean answersSomething) throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.answer(peer.greet().request(), "ok");
            peer.request();
            if (answersSomething) {
                peer.settings();
                peer.next();
            }
        })) {
            client.get(backend.endpoint());
            UpstreamFault died = client.get(backend.endpoint()).fault.get();
            assertThat(died).isEqualTo(new UpstreamFault(Kind.CLOSED, !answersSomething, false, true));
        }
    }

    @Test
    void aReplayTakesAConnectionThatCannotHaveDiedWhileIdle() throws Exception {
        try (Http2Backend backend = Http2Backend.answering("ok")) {
            client.get(backend.endpoint());
            RequestContext replayed = ClientLoop.context();
            replayed.countReplay();
            List<Recorder> all = new ArrayList<>();
            // In one task: a replay that was over before the next began would leave its connection idle, and that one wants another.
            client.onLoop(() -> {
                for (int i = 0; i < 3; i++) {
                    Recorder recorder = new Recorder(request(get("/"), ""));
                    client.connector.open(backend.endpoint(), replayed, recorder);
                    all.add(recorder);
                }
            });
            for (Recorder recorder : all) {
                assertThat(recorder.over.get(10, SECONDS)).isTrue();
            }
            assertThat(backend.accepted()).as("all replays share the new one").isEqualTo(2);
        }
    }
}
