package io.penstock.proxy.downstream;

import static io.penstock.proxy.downstream.Http2Probe.DATA;
import static io.penstock.proxy.downstream.Http2Probe.RST_STREAM;
import static io.penstock.proxy.downstream.Http2Probe.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.config.ProxyConfig.Limits;
import io.penstock.proxy.downstream.Http2Probe.Frame;
import io.penstock.proxy.net.Transport;
import io.penstock.proxy.request.DownstreamExchange;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Back-pressure in both directions, and what a client that does not read costs. */
class Http2FlowTest {

    private static final int BIG = 8 << 20;

    private TestProxy proxy = new TestProxy();
    private Http2Probe client;

    /** Instead of the usual proxy, one that soon calls it a stall when a client takes nothing. */
    private void impatient() {
        proxy.close();
        proxy = new TestProxy(Transport.detect(false), Limits.defaults(), EdgeTimings.of(Duration.ofMillis(400)), null);
    }

    @AfterEach
    void stop() {
        client.close();
        proxy.close();
        assertThat(proxy.requests.wrongThread).hasValue(0);
        assertThat(proxy.listeners.openRequests()).isZero();
    }

    @AfterAll
    static void noBufferIsLeft() {
        LeakPresenceDetector.check();
    }

    @Test
    void aStreamWithoutWindowTakesOneHighWaterMarkAndBlocksNobody() {
        client = new Http2Probe(proxy.address());
        client.get(1, "/big/" + BIG).send();
        drainUntilWindowIsUsedUp();
        long handed = proxy.requests.sentBytes.get();
        assertThat(handed).isBetween(65_535L + Http2Exchange.LOW_WATER, 65_535L + Http2Exchange.HIGH_WATER + RecordingRequests.CHUNK);

        client.window(0, 1 << 20);
        for (int i = 0; i < 50; i++) {
            client.get(3 + 2 * i, "/hello");
        }
        client.send();
        for (int i = 0; i < 50; i++) {
            assertThat(client.await(DATA, 3 + 2 * i).last()).isTrue();
        }
        assertThat(proxy.requests.sentBytes).hasValue(handed);
    }

    @Test
    void aPausedStreamGoesOnWhenItsWindowOpens() {
        client = new Http2Probe(proxy.address());
        client.get(1, "/big/" + BIG).send();
        drainUntilWindowIsUsedUp();

        client.window(0, BIG).window(1, BIG).send();
        long received = 65_535;
        for (Frame frame = client.await(DATA, 1);; frame = client.await(DATA, 1)) {
            received += frame.payload().length;
            if (frame.last() || frame == Http2Probe.END) {
                break;
            }
        }
        assertThat(received).isEqualTo(BIG);
        assertThat(proxy.requests.closed).isEmpty();
    }

    private void drainUntilWindowIsUsedUp() {
        long received = 0;
        while (received < 65_535) {
            received += client.await(DATA, 1).payload().length;
        }
        client.ping();
    }

    @Test
    void aStreamThatIsNotReadIsResetAndTheOthersLive() {
        impatient();
        client = new Http2Probe(proxy.address());
        client.get(1, "/big/" + BIG).get(3, "/hang").send();

        assertThat(client.await(RST_STREAM, 1).number(0)).isEqualTo(8);
        assertThat(proxy.requests.closed).containsExactly("/big/" + BIG + " RESET");
        assertThat(proxy.faults).containsExactly(ConnectionFault.WRITE_STALL);
        client.window(0, 1 << 20).get(5, "/hello").send();
        assertThat(client.await(DATA, 5).last()).isTrue();
    }

    @Test
    void aResponseThatIsCompleteButNotReadIsResetInSilence() {
        impatient();
        client = new Http2Probe(proxy.address(), Http2Probe.setting(4, 0));
        client.get(1, "/hello").send();

        assertThat(client.await(RST_STREAM, 1).number(0)).isEqualTo(8);
        assertThat(proxy.requests.closed).isEmpty();
    }

    @Test
    void aClientThatReadsNothingAtAllLosesItsConnection() {
        impatient();
        client = new Http2Probe(proxy.address(), Http2Probe.setting(4, Integer.MAX_VALUE));
        client.window(0, Integer.MAX_VALUE - 65_535).get(1, "/big/" + (1 << 30)).send();

        await().untilAsserted(() -> assertThat(proxy.listeners.openConnections()).isZero());
        assertThat(proxy.requests.closed).hasSize(1);
        assertThat(proxy.requests.sentBytes.get()).isLessThan(32 << 20);
    }

    @Test
    void aWaitingBodyIsBoundedByItsStreamWindowAndStarvesNoNeighbour() {
        client = new Http2Probe(proxy.address());
        for (int stream = 1; stream < 40; stream += 2) {
            client.post(stream, "/hold");
            for (int i = 0; i < 4; i++) {
                client.data(stream, new byte[16_000], false);
            }
        }
        client.post(41, "/echo").data(41, new byte[16_000], true).send();

        assertThat(client.await(DATA, 41)).isNotEqualTo(Http2Probe.END);
        assertThat(proxy.requests.bodyBytes).hasValue(20 * 64_000 + 16_000);
        client.data(1, new byte[1_536], false).send();
        assertThat(client.await(RST_STREAM, 1).number(0)).isEqualTo(3);
    }

    @Test
    void returnedCreditComesAsWindow() {
        client = new Http2Probe(proxy.address());
        client.post(1, "/hold").data(1, new byte[16_000], false).data(1, new byte[16_000], false).data(1, new byte[16_000], false).send();
        await().until(() -> proxy.requests.bodyBytes.get() == 48_000);
        DownstreamExchange exchange = proxy.requests.only().client();

        exchange.executor().execute(() -> exchange.consumed(48_000));
        assertThat(client.await(WINDOW_UPDATE, 1).number(0)).isEqualTo(48_000);
        exchange.executor().execute(exchange::expandWindow);
        assertThat(client.await(WINDOW_UPDATE, 1).number(0)).isEqualTo((256 << 10) - 65_535);
        exchange.executor().execute(() -> exchange.consumed(1 << 20));
        client.ping();
    }

    @Test
    void aResetReturnsAllConnectionCredit() {
        client = new Http2Probe(proxy.address());
        for (int stream = 1; stream <= 39; stream += 2) {
            client.post(stream, "/hold");
            for (int i = 0; i < 4; i++) {
                client.data(stream, new byte[15_360], false);
            }
            client.rst(stream, 8).send();
        }
        client.ping();
        assertThat(proxy.requests.closed).hasSize(20);

        client.post(41, "/echo").send();
        for (int i = 0; i < 32; i++) {
            client.data(41, new byte[16_000], i == 31).send();
            if (i % 3 == 2) {
                client.await(WINDOW_UPDATE, 41);
            }
        }
        assertThat(client.await(DATA, 41)).isNotEqualTo(Http2Probe.END);
    }
}
