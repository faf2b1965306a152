package io.penstock.proxy.downstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.config.ProxyConfig.Limits;
import io.penstock.proxy.config.ProxyConfig.Tls;
import io.penstock.proxy.net.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** TLS listeners: ALPN, versions, client certificates, and what is no TLS at all. */
class TlsTest {

    @AfterAll
    static void noBufferIsLeft() {
        LeakPresenceDetector.check();
    }

    private static Path file(String name) {
        try {
            return Path.of(TlsTest.class.getResource("/tls/" + name).toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static TestProxy proxy(@Nullable Path clientCa, String minVersion) {
        return new TestProxy(Transport.detect(false), Limits.defaults(), TestProxy.USUAL,
                new Tls(file("server.pem"), file("server.key"), clientCa, minVersion));
    }

    private static SSLContext client(boolean withCertificate) throws GeneralSecurityException, IOException {
        KeyStore trust = KeyStore.getInstance(KeyStore.getDefaultType());
        trust.load(null, null);
        trust.setCertificateEntry("ca", certificate("ca.pem"));
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(trust);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        KeyStore own = KeyStore.getInstance(KeyStore.getDefaultType());
        own.load(null, null);
        if (withCertificate) {
            own.setKeyEntry("client", key("client.key"), new char[0], new Certificate[] {certificate("client.pem")});
        }
        keys.init(own, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    private static Certificate certificate(String name) throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(file(name))) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private static PrivateKey key(String name) throws GeneralSecurityException, IOException {
        String pem = Files.readString(file(name)).replaceAll("-----[^-]+-----|\\s", "");
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    }

    private static SSLSocket connect(TestProxy proxy, SSLContext context, String... alpn) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", proxy.address().getPort());
        socket.setSoTimeout(10_000);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(alpn);
        socket.setSSLParameters(parameters);
        return socket;
    }

    @Test
    void alpnChoosesHttp2() throws Exception {
        try (TestProxy proxy = proxy(null, "TLSv1.2"); SSLSocket socket = connect(proxy, client(false), "h2", "http/1.1")) {
            try (Http2Probe probe = new Http2Probe(socket, new byte[0])) {
                assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
                probe.get(1, "/hello").send();
                assertThat(probe.await(Http2Probe.DATA, 1).last()).isTrue();
                assertThat(proxy.requests.only().client().secure()).isTrue();
            }
        }
    }

    @Test
    void withoutACommonProtocolItIsHttp1() throws Exception {
        String[][] offers = {{}, {"http/1.1"}, {"foo"}};
        try (TestProxy proxy = proxy(null, "TLSv1.2")) {
            for (String[] offer : offers) {
                try (Http1Probe probe = new Http1Probe(connect(proxy, client(false), offer))) {
                    probe.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
                    assertThat(probe.head()).startsWith("HTTP/1.1 200");
                }
            }
            assertThat(proxy.requests.only().head().scheme()).hasToString("https");
        }
    }

    @Test
    void aBigResponsePassesUnchanged() throws Exception {
        try (TestProxy proxy = proxy(null, "TLSv1.3"); Http1Probe probe = new Http1Probe(connect(proxy, client(false)))) {
            probe.send("GET /big/5000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            assertThat(probe.head()).contains("chunked");
            assertThat(probe.rest(6_000_000)).isGreaterThan(5_000_000);
        }
    }

    @Test
    void olderVersionsAreRefused() throws Exception {
        try (TestProxy proxy = proxy(null, "TLSv1.3"); SSLSocket socket = connect(proxy, client(false))) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
            await().untilAsserted(() -> assertThat(proxy.faults).containsExactly(ConnectionFault.TLS_HANDSHAKE));
        }
    }

    @Test
    void aClientCertificateIsAskedForWhereThereIsAClientCa() throws Exception {
        try (TestProxy proxy = proxy(file("ca.pem"), "TLSv1.2")) {
            try (Http1Probe known = new Http1Probe(connect(proxy, client(true)))) {
                assertThat(known.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").head()).startsWith("HTTP/1.1 200");
            }
            try (SSLSocket unknown = connect(proxy, client(false))) {
                assertThatThrownBy(() -> {
                    unknown.startHandshake();
                    unknown.getInputStream().read();
                }).isInstanceOf(IOException.class);
            }
            await().untilAsserted(() -> assertThat(proxy.faults).containsExactly(ConnectionFault.TLS_HANDSHAKE));
        }
    }

    @Test
    void whatIsNotTlsIsClosedAndCounted() {
        try (TestProxy proxy = proxy(null, "TLSv1.2")) {
            for (int i = 0; i < 50; i++) {
                try (Http1Probe probe = new Http1Probe(proxy.address())) {
                    probe.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").rest();
                }
            }
            await().untilAsserted(() -> assertThat(proxy.faults).hasSize(50).containsOnly(ConnectionFault.TLS_NOT_TLS));
            assertThat(proxy.requests.requests).isEmpty();
            await().untilAsserted(() -> assertThat(proxy.listeners.openConnections()).isZero());
        }
    }

    @Test
    void aCertificateThatCannotBeReadIsNamed() {
        assertThatThrownBy(() -> new TestProxy(Transport.nio(), Limits.defaults(), TestProxy.USUAL,
                new Tls(Path.of("/none.pem"), file("server.key"), null, "TLSv1.2"))).isInstanceOf(ListenException.class)
                .hasMessageStartingWith("listener plain: tls: ");
        assertThatThrownBy(() -> proxy(null, "SSLv3")).hasMessageEndingWith("minVersion: SSLv3 (expected: TLSv1.2 or TLSv1.3)");
    }
}
