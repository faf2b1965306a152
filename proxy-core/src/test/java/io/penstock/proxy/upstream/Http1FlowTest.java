package io.penstock.proxy.upstream;

import static io.penstock.proxy.upstream.ClientLoop.get;
import static io.penstock.proxy.upstream.ClientLoop.head;
import static io.penstock.proxy.upstream.ClientLoop.request;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
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
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@ParameterizedClass
@MethodSource("io.penstock.proxy.upstream.Transports#all")
class Http1FlowTest {

    private static final String OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    private static final int MEGABYTE = 1 << 20;

    @Parameter
    Transport transport;

    private ClientLoop client;

    @BeforeEach
    void start() {
        client = new ClientLoop(transport);
    }

    @AfterEach
    void noBufferLeaks() {
        client.close();
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, ISO_8859_1);
    }

    @Test
    void aBodyOfUnknownLengthIsChunked() throws Exception {
        CompletableFuture<String> seen = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            seen.complete(peer.readTo("0\r\n\r\n"));
            peer.send(OK);
            peer.readAll();
        })) {
            Recorder response = client.run(backend.endpoint(), exchange -> {
                exchange.headers(head("POST", "/"), false);
                exchange.data(text("hello"), false);
                exchange.data(Unpooled.EMPTY_BUFFER, false);
                exchange.data(text("x".repeat(17)), false);
                exchange.trailers(new DefaultHttp2Headers().add("x-trailer", "dropped"));
            });
            assertThat(seen.get()).isEqualTo("5\r\nhello\r\n11\r\n" + "x".repeat(17) + "\r\n0\r\n\r\n");
            assertThat(response.over.get()).isTrue();
            assertThat(client.limit.open(backend.endpoint())).isEqualTo(1);
        }
    }

    @Test
    void aBodyOfDeclaredLengthGoesAsItIsAndIsSentBeforeItsEndIsSaid() throws Exception {
        CompletableFuture<String> seen = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            seen.complete(new String(peer.read(5), ISO_8859_1));
            peer.send(OK);
            peer.readHead();
            peer.send(OK);
            peer.readAll();
        })) {
            Http2Headers head = head("POST", "/").addInt("content-length", 5);
            Recorder response = client.run(backend.endpoint(), exchange -> {
                exchange.headers(head, false);
                exchange.data(text("he"), false);
                exchange.data(text("llo"), false);
            });
            assertThat(seen.get()).isEqualTo("hello");
            assertThat(response.over.get()).isTrue();
            assertThat(client.get(backend.endpoint()).over.get()).isTrue();
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"four", "sixsix"})
    void aBodyThatBreaksItsDeclaredLengthIsRefusedAndClosesTheConnection(String body) throws Exception {
        CompletableFuture<String> seen = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            seen.complete(new String(peer.readAll(), ISO_8859_1));
        })) {
            Recorder recorder = new Recorder(exchange -> exchange.headers(head("POST", "/").addInt("content-length", 5), false));
            UpstreamExchange exchange = client.open(backend.endpoint(), recorder);
            recorder.connected.get(10, SECONDS);
            client.onLoop(() -> assertThatThrownBy(() -> exchange.data(text(body), true)).isInstanceOf(IllegalArgumentException.class));
            assertThat(seen.get(10, SECONDS)).isEmpty();
            assertThat(recorder.calls).containsExactly("connected");
        }
    }

    @Test
    void aHeadThatCannotBeSentIsRefusedBeforeAByteIsWritten() throws Exception {
        CompletableFuture<byte[]> seen = new CompletableFuture<>();
        try (RawBackend backend = new RawBackend(peer -> seen.complete(peer.readAll()))) {
            Recorder recorder = new Recorder(exchange -> { });
            UpstreamExchange exchange = client.open(backend.endpoint(), recorder);
            recorder.connected.get(10, SECONDS);
            Http2Headers head = new DefaultHttp2Headers(false).method("GET").path("/").add("x", "a\r\nb: c");
            client.onLoop(() -> assertThatThrownBy(() -> exchange.headers(head, true)).isInstanceOf(IllegalArgumentException.class));
            assertThat(seen.get(10, SECONDS)).isEmpty();
            assertThat(recorder.calls).containsExactly("connected");
        }
    }

    @Test
    void aDeadBackendAmidTheRequestLeavesItUnsent() throws Exception {
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.reset();
        })) {
            Recorder recorder = client.run(backend.endpoint(), exchange -> exchange.headers(head("POST", "/"), false));
            assertThat(recorder.fault.get()).isEqualTo(new UpstreamFault(Kind.CLOSED, false, false, false));
        }
    }

    @Test
    void anEarlyAnswerIsReadAlthoughTheBackendTakesNoMoreBytes() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno");
            // Unread request bytes make this close a reset.
            peer.read(1);
            peer.close();
            closed.countDown();
        })) {
            AtomicReference<UpstreamExchange> open = new AtomicReference<>();
            Recorder recorder = new Recorder(exchange -> {
                open.set(exchange);
                exchange.headers(head("POST", "/"), false);
                exchange.readable(false);
                exchange.data(Unpooled.directBuffer().writeZero(MEGABYTE), false);
            });
            client.open(backend.endpoint(), recorder);
            closed.await();
            client.onLoop(() -> {
                open.get().data(Unpooled.directBuffer().writeZero(MEGABYTE), false);
                open.get().readable(true);
            });
            assertThat(recorder.over.get(10, SECONDS)).isTrue();
            assertThat(recorder.head.get().status()).hasToString("413");
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }

    @Test
    void anUnframedAnswerOnABrokenConnectionHasNoCleanEnd() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\n\r\nhello");
            peer.read(1);
            peer.close();
            closed.countDown();
        })) {
            Recorder recorder = new Recorder(exchange -> {
                exchange.headers(head("POST", "/"), false);
                exchange.readable(false);
                exchange.data(Unpooled.directBuffer().writeZero(8 * MEGABYTE), false);
            });
            UpstreamExchange exchange = client.open(backend.endpoint(), recorder);
            closed.await();
            client.onLoop(() -> {
                exchange.data(Unpooled.directBuffer().writeZero(MEGABYTE), false);
                exchange.readable(true);
            });
            assertThat(recorder.fault.get(10, SECONDS).kind()).isEqualTo(Kind.CLOSED);
        }
    }

    @Test
    void aBackendThatDoesNotReadMakesTheExchangeUnwritableUntilItDoes() throws Exception {
        CompletableFuture<Void> mayRead = new CompletableFuture<>();
        int total = 16 * MEGABYTE;
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            mayRead.join();
            peer.read(total);
            peer.send(OK);
            peer.readAll();
        })) {
            AtomicInteger left = new AtomicInteger(total);
            AtomicReference<UpstreamExchange> open = new AtomicReference<>();
            Runnable pump = () -> {
                while (left.get() > 0 && open.get().writable()) {
                    int bytes = Math.min(left.get(), 16 << 10);
                    left.addAndGet(-bytes);
                    open.get().data(Unpooled.directBuffer(bytes).writeZero(bytes), left.get() == 0);
                }
            };
            Recorder recorder = new Recorder(exchange -> {
                open.set(exchange);
                exchange.headers(head("POST", "/").addInt("content-length", total), false);
                pump.run();
            }) {
                @Override
                public void onUpstreamWritable(RequestContext context) {
                    super.onUpstreamWritable(context);
                    pump.run();
                }
            };
            client.open(backend.endpoint(), recorder);
            recorder.connected.get(10, SECONDS);
            await().until(() -> !client.on(open.get()::writable));
            assertThat(left.get()).isPositive();
            mayRead.complete(null);
            assertThat(recorder.over.get(10, SECONDS)).isTrue();
            assertThat(recorder.calls).contains("writable");
        }
    }

    @Test
    void whatIsWrittenFromInsideAFlushIsNotSentByIt() throws Exception {
        int first = 65 << 10;
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.read(first);
            peer.send(OK);
            // Takes no more, so that the rest stays with the proxy.
            peer.awaitTestEnd();
        })) {
            AtomicReference<UpstreamExchange> open = new AtomicReference<>();
            Recorder recorder = new Recorder(exchange -> {
                open.set(exchange);
                exchange.headers(head("POST", "/"), false);
                exchange.data(Unpooled.directBuffer().writeZero(first), false);
                assertThat(exchange.writable()).isFalse();
            }) {
                @Override
                public void onUpstreamWritable(RequestContext context) {
                    super.onUpstreamWritable(context);
                    open.get().data(Unpooled.directBuffer().writeZero(16 * MEGABYTE), true);
                }
            };
            client.open(backend.endpoint(), recorder);
            assertThat(recorder.over.get(10, SECONDS)).isTrue();
            assertThat(recorder.calls).containsOnlyOnce("writable");
            client.on(() -> null);
            assertThat(client.limit.open(backend.endpoint())).as("pooled with the rest of a request still in it").isZero();
        }
    }

    @Test
    void aPausedResponseStaysWithTheBackendAndArrivesWholeAfterwards() throws Exception {
        byte[] body = new byte[12 * MEGABYTE];
        new Random(1).nextBytes(body);
        AtomicLong sent = new AtomicLong();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\ncontent-length: " + body.length + "\r\n\r\n");
            for (int at = 0; at < body.length; at += 64 << 10) {
                peer.send(Arrays.copyOfRange(body, at, at + (64 << 10)));
                sent.addAndGet(64 << 10);
            }
            peer.readAll();
        })) {
            Recorder recorder = new Recorder(request(get("/"), "")) {
                @Override
                public void onHeaders(RequestContext context, Http2Headers head, boolean last) {
                    super.onHeaders(context, head, last);
                    connected.join().readable(false);
                }
            };
            UpstreamExchange exchange = client.open(backend.endpoint(), recorder);
            recorder.head.get(10, SECONDS);
            long stalled = awaitStandstill(sent);
            assertThat(stalled).isLessThan(body.length);
            assertThat(recorder.bytes().length).as("one read at most").isLessThanOrEqualTo(64 << 10);
            client.onLoop(() -> exchange.readable(true));
            assertThat(recorder.over.get(10, SECONDS)).isTrue();
            assertThat(recorder.bytes()).isEqualTo(body);
        }
    }

    private static long awaitStandstill(AtomicLong counter) {
        AtomicLong before = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(200)).until(() -> before.getAndSet(counter.get()) == counter.get());
        return before.get();
    }

    @Test
    void aBackendThatClosesUnderAPausedResponseEndsItWhole() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\n\r\n");
            peer.send("x".repeat(100 << 10));
            peer.close();
            closed.countDown();
        })) {
            Recorder recorder = new Recorder(request(get("/"), "")) {
                @Override
                public void onHeaders(RequestContext context, Http2Headers head, boolean last) {
                    super.onHeaders(context, head, last);
                    connected.join().readable(false);
                }
            };
            UpstreamExchange exchange = client.open(backend.endpoint(), recorder);
            closed.await();
            recorder.head.get(10, SECONDS);
            if (transport.label().equals("epoll")) {
                recorder.over.get(10, SECONDS);
            } else {
                assertThat(recorder.over).as("seen only when reading resumes").isNotDone();
            }
            client.onLoop(() -> exchange.readable(true));
            assertThat(recorder.over.get(10, SECONDS)).isTrue();
            assertThat(recorder.bytes()).hasSize(100 << 10);
        }
    }

    @Test
    void aConnectionThatWasPausedAtItsEndIsUsableAgain() throws Exception {
        try (RawBackend backend = RawBackend.answering(OK)) {
            Recorder first = new Recorder(request(get("/"), "")) {
                @Override
                public void onHeaders(RequestContext context, Http2Headers head, boolean last) {
                    super.onHeaders(context, head, last);
                    connected.join().readable(false);
                }
            };
            client.open(backend.endpoint(), first);
            assertThat(first.over.get(10, SECONDS)).isTrue();
            assertThat(client.get(backend.endpoint()).over.get()).isTrue();
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    @Test
    void aThousandAbortsAmidTheBodyLeaveNothingBehind() throws Exception {
        byte[] chunk = ("8000\r\n" + "x".repeat(0x8000) + "\r\n").getBytes(ISO_8859_1);
        AtomicInteger cut = new AtomicInteger();
        try (RawBackend backend = new RawBackend(peer -> {
            peer.readHead();
            try {
                peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                while (true) {
                    peer.send(chunk);
                }
            } finally {
                cut.incrementAndGet();
            }
        })) {
            for (int i = 0; i < 1000; i++) {
                int dataCalls = i % 4;
                CompletableFuture<Integer> aborted = new CompletableFuture<>();
                AtomicInteger seen = new AtomicInteger();
                client.open(backend.endpoint(), new Recorder(request(get("/"), "body".repeat(i % 2))) {
                    @Override
                    public void onData(RequestContext context, ByteBuf data, boolean last) {
                        super.onData(context, data, last);
                        if (seen.getAndIncrement() == dataCalls) {
                            connected.join().abort();
                            // After the abort nothing may come.
                            aborted.complete(calls.size());
                        }
                    }

                    @Override
                    public void onFailed(RequestContext context, UpstreamFault fault) {
                        aborted.completeExceptionally(new AssertionError("failed: " + fault));
                    }
                });
                aborted.get(10, SECONDS);
                assertThat(seen.get()).isEqualTo(dataCalls + 1);
            }
            await().until(() -> client.limit.open(backend.endpoint()) == 0 && cut.get() == 1000);
        }
    }

    @Test
    void anAbortDropsWhatWasNotYetWritten() throws Exception {
        try (RawBackend backend = new RawBackend(RawBackend.Peer::readAll)) {
            Recorder recorder = new Recorder(exchange -> {
                exchange.headers(head("POST", "/"), false);
                exchange.data(Unpooled.directBuffer().writeZero(8 * MEGABYTE), false);
                exchange.abort();
                exchange.data(Unpooled.directBuffer().writeZero(10), true);
            });
            client.open(backend.endpoint(), recorder);
            recorder.connected.get(10, SECONDS);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
            assertThat(recorder.calls).containsExactly("connected");
        }
    }

    @Test
    void aListenerThatThrowsEndsItsExchange() throws Exception {
        try (RawBackend backend = RawBackend.answering(OK)) {
            Recorder recorder = new Recorder(request(get("/"), "")) {
                @Override
                public void onHeaders(RequestContext context, Http2Headers head, boolean last) {
                    throw new IllegalStateException("a bug");
                }
            };
            client.open(backend.endpoint(), recorder);
            assertThat(recorder.fault.get(10, SECONDS).kind()).isEqualTo(Kind.CLOSED);
            assertThat(recorder.calls).containsExactly("connected", "failed");
        }
    }
}
