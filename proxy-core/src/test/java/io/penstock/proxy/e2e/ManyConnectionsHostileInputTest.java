package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http2RawClient;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Connections that cost and do nothing: thousands of idle ones, one more than allowed, heads that never end. */
class ManyConnectionsHostileInputTest extends HostileFixture {

    private static final int IDLE = 5_000;
    /** Both ends of each connection are in this process. */
    private static final int DESCRIPTORS = 12_000;

    @Override
    String proxyKeys() {
        return "limits: {maxConnections: 5100}\n";
    }

    @Test
    void fiveThousandIdleConnectionsAreOpenedInTimeAndLeaveNothing() throws Exception {
        long allowed = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount() : 0;
        Assumptions.assumeTrue(allowed >= DESCRIPTORS, () -> "NOT RUN: 5000 IDLE CONNECTIONS NEED ulimit -n " + DESCRIPTORS
                + " AND THIS PROCESS HAS " + allowed);
        List<SocketChannel> idle = new ArrayList<>();
        try {
            open(idle, IDLE);
            Awaitility.await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(5))
                    .until(() -> proxy.proxy.openConnections() == IDLE + 1);
            assertNeighbourServed();
            assertThat(metric("penstock_downstream_connections_active")).isEqualTo(IDLE + 1);

            open(idle, 99);
            Awaitility.await().until(() -> proxy.proxy.openConnections() == 5_100);
            assertReset();
            assertThat(metric("penstock_downstream_connections_refused_total")).isEqualTo(1);
            assertNeighbourServed();
        } finally {
            for (SocketChannel channel : idle) {
                channel.close();
            }
        }
        awaitOthersGone();
        try (Http2RawClient client = proxy.http2()) {
            client.roundTrip();
        }
    }

    /** One connection too many: reset, sooner or later than the client notices that it is connected. */
    private void assertReset() {
        int read;
        try (SocketChannel oneTooMany = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()))) {
            read = oneTooMany.read(ByteBuffer.allocate(1));
        } catch (IOException reset) {
            read = -1;
        }
        assertThat(read).isEqualTo(-1);
    }

    private void open(List<SocketChannel> channels, int count) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port());
        for (int i = 0; i < count; i++) {
            channels.add(SocketChannel.open(address));
        }
    }

    /** Their time is the product's own, ten seconds; all of them pass it together. */
    @Test
    void headsThatDoNotComeToTheirEndAreCutOff() throws Exception {
        Duration patience = Duration.ofSeconds(15);
        try (Http1RawClient silent = Http1RawClient.connect(proxy.port(), patience, 0, null);
                Http1RawClient slow = Http1RawClient.connect(proxy.port(), patience, 0, null);
                Http2RawClient preface = Http2RawClient.to(proxy.port()).timeout(patience).noPreface().open();
                Http2RawClient block = Http2RawClient.to(proxy.port()).timeout(patience).open()) {
            slow.send("POST /v1/x HTTP/1.1\r\nHost: a.te");
            preface.bytes("PRI * HTTP".getBytes(StandardCharsets.US_ASCII));
            block.frame(1, 0, 1, new byte[0]);
            assertNeighbourServed();
            assertThat(slow.response().status()).isEqualTo(408);
            assertThat(silent.untilEof()).isEmpty();
            preface.awaitClosed();
            block.awaitClosed();
        }
        awaitOthersGone();
    }
}
