package io.penstock.proxy.testkit;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A certificate made for one test run, valid for 127.0.0.1 and localhost, and contexts for clients. Any thread. */
public final class TestTls {

    private final X509Bundle bundle;

    private TestTls(X509Bundle bundle) {
        this.bundle = bundle;
    }

    /** A self-signed certificate with a new key. */
    public static TestTls create(String commonName) {
        try {
            return new TestTls(new CertificateBuilder().ecp256().subject("CN=" + commonName).setIsCertificateAuthority(true)
                    .addSanIpAddress("127.0.0.1").addSanDnsName("localhost").buildSelfSigned());
        } catch (Exception e) {
            throw new IllegalStateException("no certificate for " + commonName, e);
        }
    }

    public X509Bundle bundle() {
        return bundle;
    }

    /** Writes the certificate as PEM. */
    public Path certificate(Path directory) throws IOException {
        return Files.writeString(directory.resolve("certificate.pem"), bundle.getCertificatePathPEM());
    }

    /** Writes the private key as PEM. */
    public Path privateKey(Path directory) throws IOException {
        return Files.writeString(directory.resolve("key.pem"), bundle.getPrivateKeyPEM());
    }

    /** A client that shows this certificate when it is asked for one, and trusts every server. */
    public SSLContext client() {
        try {
            return context(bundle.toKeyManagerFactory().getKeyManagers());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no key manager", e);
        }
    }

    /** A client without a certificate that trusts every server. */
    public static SSLContext trustingClient() {
        return context(new KeyManager[0]);
    }

    private static SSLContext context(KeyManager[] keys) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {new TrustEverybody()}, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no TLS", e);
        }
    }

    /** For loopback tests only. */
    private static final class TrustEverybody extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
