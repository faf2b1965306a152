package io.penstock.proxy.net;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Makes the TLS context of a client: BoringSSL where its native part loads, the JDK's engine elsewhere. Stateless. */
public final class ClientTls {

    private ClientTls() {
    }

    /**
     * The caller releases the context once its last connection is closed.
     *
     * @param skipVerify whether any server certificate will do; otherwise it must be signed by a trusted authority and carry the address
     *         or name that is connected to
     * @param ca PEM with the authorities to trust, or null for the machine's
     * @param certificate PEM with the client's own certificate, or null
     * @param key PEM with its key, null exactly when {@code certificate} is
     * @throws SSLException if a file does not hold what it should
     */
    public static SslContext context(boolean skipVerify, @Nullable Path ca, @Nullable Path certificate, @Nullable Path key)
            throws SSLException {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                    .protocols("TLSv1.2", "TLSv1.3")
                    .endpointIdentificationAlgorithm(skipVerify ? null : "HTTPS");
            if (skipVerify) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            } else if (ca != null) {
                builder.trustManager(ca.toFile());
            }
            if (certificate != null && key != null) {
                builder.keyManager(certificate.toFile(), key.toFile());
            }
            return builder.build();
        } catch (IllegalArgumentException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new SSLException(String.valueOf(cause.getMessage()), e);
        }
    }
}
