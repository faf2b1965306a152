package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.proxy.config.MetricsSettings;
import io.penstock.proxy.config.MetricsSettings.Engines;
import io.penstock.proxy.config.MetricsSettings.Tls;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.testkit.TestTls;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a page is: scheme, port, path, and whom to trust. */
class ScrapeTargetTest {

    private static final TestTls SERVER = TestTls.create("server");
    private static final TestTls OTHER = TestTls.create("other");

    @TempDir
    Path dir;

    private final EndpointPool pool = new EndpointPool(System::nanoTime);
    private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    private PageServer server;
    private MetricsScraper scraper;

    @AfterEach
    void close() throws IOException {
        if (scraper != null) {
            scraper.close();
        }
        server.close();
    }

    @Test
    void pathAndPortAreThoseOfTheSource() throws IOException {
        server = new PageServer(() -> PageServer.vllm(3, 7, 0.25));
        scrape("127.0.0.1", 9, "/v1/metrics?x=1", server.port(), null);
        awaitSample();
        assertThat(server.lastHead).startsWith("GET /v1/metrics?x=1 HTTP/1.1\r\nhost: 127.0.0.1:" + server.port() + "\r\n");
    }

    @Test
    void anyCertificateWillDoByDefault() throws IOException {
        server = PageServer.tls(SERVER, "127.0.0.1", false);
        tls(new Tls(true, null, null, null));
        awaitSample();
        await().until(() -> server.requests.get() >= 3);
        assertThat(server.connections).as("kept").hasValue(1);
        assertThat(failures).isEmpty();
    }

    @Test
    void aCertificateOfATrustedAuthorityForThisAddressIsAccepted() throws IOException {
        server = PageServer.tls(SERVER, "127.0.0.1", false);
        tls(new Tls(false, SERVER.certificate(dir), null, null));
        awaitSample();
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefused() throws Exception {
        server = PageServer.tls(SERVER, "127.0.0.1", false);
        tls(new Tls(false, OTHER.certificate(dir), null, null));
        assertThat(failures.poll(20, TimeUnit.SECONDS)).startsWith("TLS: ");
        assertThat(endpoint().sample()).isNull();
    }

    @Test
    void aCertificateForAnotherAddressIsRefused() throws Exception {
        server = PageServer.tls(SERVER, "127.0.0.2", false);
        scrape("127.0.0.2", server.port(), "/metrics", null, new Tls(false, SERVER.certificate(dir), null, null));
        assertThat(failures.poll(20, TimeUnit.SECONDS)).startsWith("TLS: ");
        assertThat(endpoint().sample()).isNull();
    }

    @Test
    void theProxyShowsItsOwnCertificateWhereOneIsWanted() throws Exception {
        server = PageServer.tls(SERVER, "127.0.0.1", true);
        tls(new Tls(true, null, null, null));
        assertThat(failures.poll(20, TimeUnit.SECONDS)).isNotNull();
        assertThat(endpoint().sample()).isNull();
        scraper.close();
        pool.replace(List.of());
        tls(new Tls(true, null, OTHER.certificate(dir), OTHER.privateKey(dir)));
        awaitSample();
    }

    @Test
    void aPlainServerIsNoTlsServer() throws Exception {
        server = new PageServer(() -> PageServer.vllm(3, 7, 0.25));
        tls(new Tls(true, null, null, null));
        assertThat(failures.poll(20, TimeUnit.SECONDS)).isNotNull();
        assertThat(endpoint().sample()).isNull();
    }

    @Test
    void scrapingFollowsANameThatMoves() throws IOException {
        server = new PageServer(() -> PageServer.vllm(3, 7, 0.25));
        AtomicReference<String> address = new AtomicReference<>("127.0.0.1");
        EndpointSpec named = EndpointSpec.of("a", "vllm.test", server.port(), Map.of());
        try (PageServer next = new PageServer(() -> PageServer.vllm(5, 7, 0.25), "127.0.0.2", server.port());
                StaticEndpoints names = new StaticEndpoints(List.of(named), pool, host -> List.of(address.get()))) {
            scraper = new MetricsScraper(Transport.detect(false), ScrapeSettings.every(Duration.ofMillis(50)), System::nanoTime, () -> { },
                    ScrapeEvents.NONE);
            pool.listen(scraper);
            names.refresh();
            awaitSample();
            address.set("127.0.0.2");
            names.refresh();
            await().atMost(Duration.ofSeconds(20)).until(() -> endpoint().sample().waiting() == 5);
            await().until(() -> server.openConnections() == 0);
            assertThat(next.connections).hasValue(1);
        }
    }

    private void tls(Tls tls) throws SSLException {
        scrape("127.0.0.1", server.port(), "/metrics", null, tls);
    }

    private void scrape(String host, int port, String path, @Nullable Integer override, @Nullable Tls tls) throws SSLException {
        MetricsSettings metrics = new MetricsSettings(MetricsSettings.DEFAULT_INTERVAL, path, override, tls, Engines.BUILT_IN);
        ScrapeEvents events = new ScrapeEvents() {
            @Override
            public void pollFailed(Endpoint endpoint, String reason) {
                failures.add(reason);
            }
        };
        scraper = new MetricsScraper(Transport.detect(false), new ScrapeSettings(metrics, Duration.ofSeconds(5), 1 << 20),
                System::nanoTime, () -> { }, events);
        pool.listen(scraper);
        pool.replace(List.of(EndpointSpec.of("a", host, port, Map.of())));
    }

    private Endpoint endpoint() {
        return pool.members().iterator().next();
    }

    private void awaitSample() {
        await().atMost(Duration.ofSeconds(20)).until(() -> endpoint().sample() != null);
    }
}
