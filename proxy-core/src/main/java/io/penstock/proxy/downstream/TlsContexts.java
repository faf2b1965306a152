package io.penstock.proxy.downstream;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.penstock.proxy.config.ProxyConfig;
import javax.net.ssl.SSLException;

/** Makes a listener's TLS context: BoringSSL where its native part loads, the JDK's engine elsewhere. Stateless. */
final class TlsContexts {

    private static final String TLS13 = "TLSv1.3";

    private TlsContexts() {
    }

    /** The caller releases the context once its last connection is closed. */
    static SslContext server(ProxyConfig.Listener listener, ProxyConfig.Tls tls) {
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(tls.certificate().toFile(), tls.privateKey().toFile())
                    .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                    .protocols(protocols(tls.minVersion()))
                    .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                    .applicationProtocolConfig(new ApplicationProtocolConfig(Protocol.ALPN, SelectorFailureBehavior.NO_ADVERTISE,
                            SelectedListenerFailureBehavior.ACCEPT, ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1));
            if (tls.clientCa() != null) {
                builder.trustManager(tls.clientCa().toFile()).clientAuth(ClientAuth.REQUIRE);
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new ListenException("listener " + listener.name() + ": tls: " + e.getMessage(), e);
        }
    }

    private static String[] protocols(String minVersion) {
        return switch (minVersion) {
            case "TLSv1.2" -> new String[] {"TLSv1.2", TLS13};
            case TLS13 -> new String[] {TLS13};
            default -> throw new IllegalArgumentException("minVersion: " + minVersion + " (expected: TLSv1.2 or TLSv1.3)");
        };
    }
}
