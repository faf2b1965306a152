package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2RawClient;
import io.penstock.proxy.testkit.TestTls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A TLS listener of the whole proxy, beside a plain one. */
class TlsEndToEndTest {

    private static final String REQUEST = "POST /v1/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n{}";
    private static final String FAULT = "penstock_downstream_connection_faults_total{reason=\"%s\"} %d.0";

    @TempDir
    private Path directory;

    private final TestTls tls = TestTls.create("localhost");
    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RunningProxy proxy(String tlsKeys) throws IOException {
        return RunningProxy.startTls(2, List.of(backend), tls.certificate(directory), tls.privateKey(directory), tlsKeys);
    }

    private static void awaitFault(RunningProxy proxy, String reason, int count) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() ->
                assertThat(proxy.admin("GET", "/metrics").body()).contains(FAULT.formatted(reason, count)));
    }

    private static int http2(Http2RawClient client) {
        return client.request("{}".getBytes(StandardCharsets.UTF_8), ":method", "POST", ":scheme", "https", ":authority", "a.test", ":path",
                "/v1/x");
    }

    @Test
    void alpnChoosesTheProtocolAndNoneIsHttp1() throws Exception {
        try (RunningProxy proxy = proxy("")) {
            try (Http2RawClient client = Http2RawClient.to(proxy.tlsPort()).tls(TestTls.trustingClient(), "h2", "http/1.1").open()) {
                assertThat(client.applicationProtocol()).isEqualTo("h2");
                assertThat(client.response(http2(client)).status()).isEqualTo(200);
            }
            try (Http1RawClient client = Http1RawClient.connectTls(proxy.tlsPort(), TestTls.trustingClient())) {
                client.send(REQUEST);
                assertThat(client.response().status()).isEqualTo(200);
            }
            try (SSLSocket client = handshake(proxy.tlsPort(), TestTls.trustingClient())) {
                assertThat(client.getApplicationProtocol()).isEmpty();
                client.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
            }
            assertThat(backend.requests()).hasSize(3).allSatisfy(request ->
                    assertThat(request.header("x-forwarded-proto")).isEqualTo("https"));
            try (Http1RawClient plain = proxy.http1()) {
                plain.send(REQUEST);
                assertThat(plain.response().status()).isEqualTo(200);
            }
            assertThat(backend.requests().get(3).header("x-forwarded-proto")).isEqualTo("http");
            proxy.awaitQuiet();
        }
    }

    private static SSLSocket handshake(int port, SSLContext context, String... protocols) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
        socket.setSoTimeout(10_000);
        if (protocols.length > 0) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(protocols);
            socket.setSSLParameters(parameters);
        }
        socket.startHandshake();
        return socket;
    }

    @Test
    void onlyClientsOfTheClientCaGetIn() throws Exception {
        TestTls known = TestTls.create("known");
        TestTls stranger = TestTls.create("stranger");
        Path ca = Files.writeString(directory.resolve("clients.pem"), known.bundle().getCertificatePathPEM());
        try (RunningProxy proxy = proxy(", clientCa: \"" + ca + "\"")) {
            try (Http2RawClient client = Http2RawClient.to(proxy.tlsPort()).tls(known.client(), "h2").open()) {
                assertThat(client.response(http2(client)).status()).isEqualTo(200);
            }
            int refused = 0;
            for (SSLContext context : List.of(stranger.client(), TestTls.trustingClient())) {
                // With TLS 1.3 a client hears of its refusal only after its own handshake is done.
                assertThatThrownBy(() -> {
                    try (SSLSocket socket = handshake(proxy.tlsPort(), context)) {
                        socket.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
                        if (socket.getInputStream().read() < 0) {
                            throw new IOException("closed");
                        }
                    }
                }).isInstanceOf(IOException.class);
                awaitFault(proxy, "tls_handshake", ++refused);
            }
            assertThat(backend.requests()).hasSize(1);
        }
    }

    @Test
    void versionsBelowTheConfiguredOneAreRefused() throws Exception {
        try (RunningProxy proxy = proxy(", minVersion: TLSv1.3")) {
            assertThatThrownBy(() -> handshake(proxy.tlsPort(), TestTls.trustingClient(), "TLSv1.2")).isInstanceOf(SSLException.class);
            awaitFault(proxy, "tls_handshake", 1);
            try (SSLSocket socket = handshake(proxy.tlsPort(), TestTls.trustingClient(), "TLSv1.3")) {
                assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
            }
        }
        try (RunningProxy proxy = proxy(""); SSLSocket socket = handshake(proxy.tlsPort(), TestTls.trustingClient(), "TLSv1.2")) {
            assertThat(socket.getSession().getProtocol()).as("the default").isEqualTo("TLSv1.2");
        }
    }

    @Test
    void plainTextAndGarbageOnTheTlsPortCloseAndAreLoggedOnceASecond() throws Exception {
        byte[] random = new byte[1_000];
        new Random(2).nextBytes(random);
        List<byte[]> inputs = List.of(REQUEST.getBytes(StandardCharsets.US_ASCII), Http2RawClient.PREFACE, random, new byte[100]);
        try (CapturedLog log = new CapturedLog(); RunningProxy proxy = proxy("")) {
            for (int i = 0; i < 40; i++) {
                try (Http1RawClient client = Http1RawClient.connect(proxy.tlsPort())) {
                    client.send(inputs.get(i % inputs.size()));
                    client.untilEof();
                }
            }
            awaitFault(proxy, "tls_not_tls", 40);
            Awaitility.await().until(() -> proxy.proxy.openConnections() == 0);
            assertThat(backend.requests()).isEmpty();
            log.assertCalm();
            try (Http2RawClient client = Http2RawClient.to(proxy.tlsPort()).tls().open()) {
                assertThat(client.response(http2(client)).status()).isEqualTo(200);
            }
        }
    }
}
