package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelException;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.penstock.proxy.net.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The scraper when the process has no file descriptor left for it. */
class StarvedScraperTest {

    private static final AtomicBoolean STARVED = new AtomicBoolean();

    /** A socket that cannot be made while descriptors are out. */
    public static final class Socket extends NioSocketChannel {
        public Socket() {
            if (STARVED.get()) {
                throw new ChannelException("Too many open files");
            }
        }
    }

    @Test
    void scrapingGoesOnAfterAMomentWithoutDescriptors() throws Exception {
        STARVED.set(true);
        CountDownLatch failed = new CountDownLatch(2);
        ScrapeEvents events = new ScrapeEvents() {
            @Override
            public void pollFailed(Endpoint endpoint, String reason) {
                failed.countDown();
            }
        };
        Transport nio = Transport.nio();
        Transport starving = new Transport("nio", nio.handlers(), nio.server(), Socket.class, false);
        try (PageServer server = new PageServer(() -> PageServer.vllm(3, 7, 0.25));
                MetricsScraper scraper = new MetricsScraper(starving, ScrapeSettings.every(Duration.ofMillis(50)), System::nanoTime,
                        () -> { }, events)) {
            EndpointPool pool = new EndpointPool(System::nanoTime);
            pool.listen(scraper);
            pool.replace(List.of(EndpointSpec.of("a", "127.0.0.1", server.port(), Map.of())));
            assertThat(failed.await(10, TimeUnit.SECONDS)).as("it goes on trying").isTrue();
            STARVED.set(false);
            Awaitility.await().until(() -> pool.members().iterator().next().sample() != null);
        } finally {
            STARVED.set(false);
        }
    }
}
