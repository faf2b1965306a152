package io.penstock.proxy.upstream;

import static io.penstock.proxy.testkit.Http2Frame.DATA;
import static io.penstock.proxy.testkit.Http2Frame.END_HEADERS;
import static io.penstock.proxy.testkit.Http2Frame.HEADERS;
import static io.penstock.proxy.testkit.Http2Frame.PING;
import static io.penstock.proxy.testkit.Http2Frame.PUSH_PROMISE;
import static io.penstock.proxy.testkit.Http2Frame.RST_STREAM;
import static io.penstock.proxy.upstream.ClientLoop.get;
import static io.penstock.proxy.upstream.ClientLoop.h2c;
import static io.penstock.proxy.upstream.ClientLoop.head;
import static io.penstock.proxy.upstream.ClientLoop.request;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.UpstreamFault;
import io.penstock.proxy.request.UpstreamFault.Kind;
import io.penstock.proxy.testkit.Http2Frame;
import io.penstock.proxy.testkit.Http2RawBackend.Peer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses as backends send them over HTTP/2, well and badly. */
@Timeout(30)
class Http2ResponseTest {

    private ClientLoop client;

    /** What a backend sends on the stream of one request. */
    interface Answer {
        void send(Peer peer, int stream) throws IOException;
    }

    @BeforeEach
    void start() {
        client = new ClientLoop(Transport.detect(false), h2c(Duration.ofSeconds(2), Duration.ofSeconds(4), 10));
    }

    @AfterEach
    void noBufferLeaks() {
        client.close();
    }

    /** Answers the first request like that, and every further one well. */
    private static Http2Backend backend(Answer answer, CompletableFuture<Http2Frame> reset) throws IOException {
        return Http2Backend.of(peer -> {
            answer.send(peer, peer.greet().request());
            for (Http2Frame frame = peer.next(); frame != null; frame = peer.next()) {
                if (frame.type() == RST_STREAM) {
                    reset.complete(frame);
                } else if (frame.ends()) {
                    peer.answer(frame.stream(), "ok");
                }
            }
        });
    }

    private Recorder exchange(String method, Answer answer) throws Exception {
        try (Http2Backend backend = backend(answer, new CompletableFuture<>())) {
            return client.run(backend.endpoint(), request(head(method, "/"), ""));
        }
    }

    private static Map<String, String> fields(Http2Headers head) {
        Map<String, String> fields = new LinkedHashMap<>();
        head.forEach(field -> fields.merge(field.getKey().toString(), field.getValue().toString(), (a, b) -> a + '|' + b));
        return fields;
    }

    @Test
    void aResponseComesWithItsHeadBodyAndTrailers() throws Exception {
        Recorder recorder = exchange("GET", (peer, stream) -> {
            peer.headers(stream, false, ":status", "207", "content-type", "text/plain", "set-cookie", "a=1", "set-cookie", "b=2");
            peer.data(stream, "hel", false);
            peer.data(stream, "lo", false);
            peer.headers(stream, true, "checksum", "1", "trailer", "x");
        });
        assertThat(fields(recorder.head.get())).containsExactly(Map.entry(":status", "207"), Map.entry("content-type", "text/plain"),
                Map.entry("set-cookie", "a=1|b=2"));
        assertThat(recorder.body()).isEqualTo("hello");
        assertThat(fields(recorder.trailers.get())).containsExactly(Map.entry("checksum", "1"));
    }

    @Test
    void informationalHeadsPassOneByOne() throws Exception {
        Recorder recorder = exchange("GET", (peer, stream) -> {
            peer.headers(stream, false, ":status", "100");
            peer.headers(stream, false, ":status", "103", "link", "</a>", "content-length", "7");
            peer.headers(stream, true, ":status", "200");
        });
        assertThat(recorder.calls).containsExactly("connected", "informational", "informational", "headers last");
        assertThat(recorder.informational).extracting(Http2ResponseTest::fields)
                .containsExactly(Map.of(":status", "100"), Map.of(":status", "103", "link", "</a>"));
    }

    @Test
    void aBodyWithoutBytesAndTrailersWithoutFieldsEndAResponse() throws Exception {
        assertThat(exchange("GET", (peer, stream) -> {
            peer.headers(stream, false, ":status", "200", "content-length", "0");
            peer.data(stream, "", true);
        }).calls).containsExactly("connected", "headers", "data last");
        assertThat(exchange("GET", (peer, stream) -> {
            peer.headers(stream, false, ":status", "200");
            peer.headers(stream, true, "trailer", "x");
        }).calls).containsExactly("connected", "headers", "data last");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HEAD 200 5", "GET 304 5", "GET 204 0", "HEAD 404 12"})
    void responsesThatHaveNoBodyMayDeclareOne(String what) throws Exception {
        String[] parts = what.split(" ");
        Recorder recorder = exchange(parts[0],
                (peer, stream) -> peer.headers(stream, true, ":status", parts[1], "content-length", parts[2]));
        assertThat(recorder.calls).containsExactly("connected", "headers last");
        assertThat(recorder.head.get().contains("content-length")).isEqualTo(!parts[1].equals("204"));
    }

    /** Each breaks the protocol on its stream alone. */
    static Stream<Answer> malformed() {
        List<Answer> all = new ArrayList<>();
        for (String[] head : new String[][] {
            {"content-type", "text/plain"}, {":status", ""}, {":status", "20"}, {":status", "2000"}, {":status", "2x0"},
            {":status", "600"}, {":status", "099"}, {":status", "200", ":status", "200"}, {":status", "200", ":path", "/"},
            {":status", "200", ":unknown", "x"}, {"a", "b", ":status", "200"}, {":status", "200", "Upper", "x"},
            {":status", "200", "connection", "close"}, {":status", "200", "keep-alive", "5"}, {":status", "200", "upgrade", "h2c"},
            {":status", "200", "transfer-encoding", "chunked"}, {":status", "200", "proxy-connection", "close"},
            {":status", "200", "a b", "x"}, {":status", "200", "", "x"}, {":status", "200", "a", "x\r\ny: z"},
            {":status", "200", "a", "\0"},
            {":status", "200", "content-length", "-1"}, {":status", "200", "content-length", "1, 2"},
            {":status", "200", "content-length", "1", "content-length", "2"}, {":status", "200", "content-length", "+1"},
            {":status", "101"}}) {
            all.add((peer, stream) -> peer.headers(stream, false, head));
        }
        all.add((peer, stream) -> peer.data(stream, "body", false));
        all.add((peer, stream) -> {
            for (int i = 0; i < 11; i++) {
                peer.headers(stream, false, ":status", "102");
            }
        });
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource
    void malformed(Answer answer) throws Exception {
        CompletableFuture<Http2Frame> reset = new CompletableFuture<>();
        try (Http2Backend backend = backend(answer, reset)) {
            Recorder recorder = client.get(backend.endpoint());
            assertThat(recorder.fault.get()).isEqualTo(new UpstreamFault(Kind.MALFORMED, false, true, true));
            assertThat(recorder.calls).doesNotContain("headers", "headers last", "data");
            assertThat(reset.get(10, SECONDS).errorCode()).isEqualTo(Http2Frame.PROTOCOL_ERROR);
            assertThat(client.get(backend.endpoint()).body()).as("the connection goes on").isEqualTo("ok");
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    /** The same, where the stream has ended and there is nothing to reset. */
    static Stream<Answer> malformedAtOnce() {
        return Stream.of(
                (peer, stream) -> peer.headers(stream, true, ":status", "103"),
                (peer, stream) -> peer.headers(stream, true, ":status", "200", "content-length", "5"),
                (peer, stream) -> peer.headers(stream, true, "a", "b"),
                (peer, stream) -> peer.data(stream, "body", true));
    }

    @ParameterizedTest
    @MethodSource
    void malformedAtOnce(Answer answer) throws Exception {
        try (Http2Backend backend = backend(answer, new CompletableFuture<>())) {
            Recorder recorder = client.get(backend.endpoint());
            assertThat(recorder.fault.get()).isEqualTo(new UpstreamFault(Kind.MALFORMED, false, true, true));
            assertThat(recorder.calls).containsExactly("connected", "failed");
            assertThat(client.get(backend.endpoint()).body()).as("the connection goes on").isEqualTo("ok");
        }
    }

    @Test
    void manyMalformedResponsesDoNotEndTheConnection() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.greet();
            for (int i = 0; i < 100; i++) {
                peer.headers(peer.request(), true, ":status", "200", "connection", "close");
            }
            peer.answer(peer.request(), "ok");
            peer.drain();
        })) {
            for (int i = 0; i < 100; i++) {
                assertThat(client.get(backend.endpoint()).fault.get().kind()).isEqualTo(Kind.MALFORMED);
            }
            assertThat(client.get(backend.endpoint()).body()).isEqualTo("ok");
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    @Test
    void aResetBehindEveryAnswerIsNoAbuse() throws Exception {
        int rounds = 105;
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.greet();
            for (int i = 0; i < 100 * rounds; i++) {
                int stream = peer.request();
                peer.headers(stream, true, ":status", "200");
                peer.reset(stream, Http2Frame.NO_ERROR);
            }
            peer.drain();
        })) {
            for (int i = 0; i < rounds; i++) {
                List<Recorder> all = new ArrayList<>();
                client.onLoop(() -> {
                    for (int j = 0; j < 100; j++) {
                        all.add(new Recorder(request(get("/"), "")));
                        client.connector.open(backend.endpoint(), ClientLoop.context(), all.get(j));
                    }
                });
                for (Recorder recorder : all) {
                    assertThat(recorder.over.get(10, SECONDS)).isTrue();
                }
            }
            assertThat(backend.accepted()).isEqualTo(1);
        }
    }

    @Test
    void moreResetsThanStreamsAreAbuse() throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            int first = peer.greet().request();
            peer.request();
            for (int i = 0; i < 1_000; i++) {
                peer.reset(first, Http2Frame.NO_ERROR);
            }
            peer.drain();
        })) {
            Recorder one = new Recorder(request(get("/"), ""));
            Recorder two = new Recorder(request(get("/"), ""));
            client.open(backend.endpoint(), one);
            client.open(backend.endpoint(), two);
            assertThat(two.over.get(10, SECONDS)).isFalse();
            assertThat(two.fault.get().kind()).isEqualTo(Kind.MALFORMED);
            assertThat(one.fault.get().kind()).isEqualTo(Kind.CLOSED);
        }
    }

    /** Each breaks it after a good head. */
    static Stream<Answer> brokenOff() {
        return Stream.of(
                (peer, stream) -> peer.data(stream, "123456", false),
                (peer, stream) -> peer.data(stream, "1234", true),
                (peer, stream) -> peer.headers(stream, true, "a", "b"),
                (peer, stream) -> peer.headers(stream, false, "a", "b"),
                (peer, stream) -> peer.headers(stream, false, ":status", "200"),
                (peer, stream) -> {
                    peer.data(stream, "12345", false);
                    peer.headers(stream, true, ":status", "200");
                },
                (peer, stream) -> {
                    peer.data(stream, "12345", false);
                    peer.headers(stream, true, "Upper", "x");
                },
                (peer, stream) -> {
                    peer.data(stream, "12345", false);
                    peer.headers(stream, true, "connection", "x");
                });
    }

    @ParameterizedTest
    @MethodSource
    void brokenOff(Answer answer) throws Exception {
        try (Http2Backend backend = backend((peer, stream) -> {
            peer.headers(stream, false, ":status", "200", "content-length", "5");
            answer.send(peer, stream);
        }, new CompletableFuture<>())) {
            Recorder recorder = client.get(backend.endpoint());
            assertThat(recorder.over.get()).isFalse();
            assertThat(recorder.fault.get()).isEqualTo(new UpstreamFault(Kind.MALFORMED, false, true, true));
            assertThat(recorder.calls).contains("headers").doesNotContain("data last", "trailers");
            assertThat(client.get(backend.endpoint()).body()).isEqualTo("ok");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHeadAboveTheLimitsIsMalformed(boolean byBytes) throws Exception {
        String[] head = new String[byBytes ? 2 + 2 * 70 : 2 + 2 * 101];
        head[0] = ":status";
        head[1] = "200";
        for (int i = 2; i < head.length; i += 2) {
            head[i] = "x-" + i;
            head[i + 1] = byBytes ? "v".repeat(900) : "v";
        }
        try (Http2Backend backend = backend((peer, stream) -> peer.headers(stream, true, head), new CompletableFuture<>())) {
            assertThat(client.get(backend.endpoint()).fault.get()).isEqualTo(new UpstreamFault(Kind.MALFORMED, false, true, true));
            assertThat(client.get(backend.endpoint()).body()).as("the connection goes on").isEqualTo("ok");
        }
    }

    @Test
    void aHeadAtTheLimitsPasses() throws Exception {
        String[] head = new String[2 + 2 * 100];
        head[0] = ":status";
        head[1] = "200";
        for (int i = 2; i < head.length; i += 2) {
            head[i] = "x-" + i;
            head[i + 1] = "v".repeat(500);
        }
        Recorder recorder = exchange("GET", (peer, stream) -> peer.headers(stream, true, head));
        assertThat(recorder.calls).containsExactly("connected", "headers last");
        Http2Headers passed = recorder.head.get();
        assertThat(passed.size()).isEqualTo(101);
        for (int i = 0; i < 10; i++) {
            passed.add("x-added-" + i, "v");
        }
        assertThat(passed.size()).as("the proxy may add its own").isEqualTo(111);
    }

    /** Each breaks the connection for all. */
    static Stream<Answer> connectionErrors() {
        return Stream.of(
                (peer, stream) -> peer.bytes("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                (peer, stream) -> peer.frame(HEADERS, END_HEADERS, stream, new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff}),
                (peer, stream) -> peer.frame(DATA, 0, stream + 2, new byte[1]),
                (peer, stream) -> peer.headers(2, true, ":status", "200"),
                (peer, stream) -> peer.frame(PUSH_PROMISE, END_HEADERS, stream, new byte[] {0, 0, 0, 2, (byte) 0x88}),
                (peer, stream) -> peer.frame(HEADERS, 0, stream, new byte[] {(byte) 0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
                (peer, stream) -> {
                    for (int i = 0; i < 1_000; i++) {
                        peer.frame(PING, 0, 0, new byte[8]);
                    }
                },
                (peer, stream) -> {
                    for (int i = 0; i < 1_000; i++) {
                        peer.settings();
                    }
                });
    }

    @ParameterizedTest
    @MethodSource
    void connectionErrors(Answer answer) throws Exception {
        try (Http2Backend backend = Http2Backend.of(peer -> {
            peer.greet().request();
            int second = peer.request();
            answer.send(peer, second);
            if (second > 0) {
                // Whatever the broken frame left unfinished.
                peer.headers(second, false, ":status", "200");
            }
            peer.drain();
        })) {
            Recorder one = new Recorder(request(get("/"), ""));
            Recorder two = new Recorder(request(get("/"), ""));
            client.open(backend.endpoint(), one);
            client.open(backend.endpoint(), two);
            assertThat(one.over.get(10, SECONDS)).isFalse();
            assertThat(two.over.get(10, SECONDS)).isFalse();
            assertThat(List.of(one.fault.get().kind(), two.fault.get().kind())).containsOnly(Kind.MALFORMED);
            await().until(() -> client.limit.open(backend.endpoint()) == 0);
        }
    }
}
