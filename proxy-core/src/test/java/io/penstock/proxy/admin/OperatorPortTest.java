package io.penstock.proxy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class OperatorPortTest {

    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Test
    void aTakenPortIsNamedWithItsReason() throws Exception {
        try (AdminServer first = AdminServer.start(ANY, new FixedView())) {
            String at = Addresses.text(first.address());
            assertThatThrownBy(() -> AdminServer.start(first.address(), new FixedView()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("admin: " + at + ": address already in use");
            assertThatThrownBy(() -> MetricsServer.start(first.address(), new FixedView()))
                    .hasMessage("metrics: " + at + ": address already in use");
        }
    }

    @Test
    void anOpenPortKeepsNoProcessFromEnding() throws Exception {
        try (AdminServer server = AdminServer.start(ANY, new FixedView())) {
            assertThat(exchange(server.address(), "GET /ready HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).isNotEmpty();
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().startsWith("HTTP-Dispatcher") || thread.getName().startsWith("penstock-admin"))
                    .isNotEmpty().allMatch(Thread::isDaemon);
        }
    }

    @Test
    void anUnknownHostIsNamed() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("no.such.host.invalid", 1);
        assertThatThrownBy(() -> AdminServer.start(unknown, new FixedView()))
                .hasMessage("admin: no.such.host.invalid:1: host not found (expected: an address of this machine)");
    }

    @Test
    void theMetricsPortServesNothingElse() throws Exception {
        FixedView view = new FixedView();
        try (MetricsServer server = MetricsServer.start(ANY, view)) {
            assertThat(exchange(server.address(), "GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200").endsWith("accept null\n");
            assertThat(exchange(server.address(), "POST /drain HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 404");
            assertThat(exchange(server.address(), "GET /bands HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 404");
            assertThat(exchange(server.address(), "POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 405");
        }
        assertThat(view.drains).hasValue(0);
    }

    @Test
    void clientsThatNeverFinishTheirRequestCannotGrowTheProcessAndDoNotOutstayTheirLeave() throws Exception {
        try (AdminServer server = AdminServer.start(ANY, new FixedView())) {
            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < 160; i++) {
                Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
                socket.getOutputStream().write("GET /ready HT".getBytes(StandardCharsets.US_ASCII));
                slow.add(socket);
            }
            // Whoever comes when every thread is taken is turned away, not kept waiting.
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> closedByServer(slow) >= 160 - 96);
            long threads = Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith("penstock-admin-")).count();
            assertThat(threads).isLessThanOrEqualTo(96);
            for (Socket socket : slow) {
                socket.close();
            }
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(
                    () -> exchange(server.address(), "GET /ready HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
                            .startsWith("HTTP/1.1 200"));
        }
    }

    @Test
    void halfSentRequestsOfOthersDoNotKeepAProbeFromItsAnswer() throws Exception {
        try (AdminServer server = AdminServer.start(ANY, new FixedView())) {
            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
                socket.getOutputStream().write("GET /ready HT".getBytes(StandardCharsets.US_ASCII));
                slow.add(socket);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(exchange(server.address(), "GET /ready HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
                        .startsWith("HTTP/1.1 200");
            }
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    private static int closedByServer(List<Socket> sockets) throws IOException {
        int closed = 0;
        for (Socket socket : sockets) {
            socket.setSoTimeout(1);
            try {
                closed += socket.getInputStream().read() < 0 ? 1 : 0;
            } catch (java.net.SocketTimeoutException open) {
                continue;
            } catch (IOException reset) {
                closed++;
            }
        }
        return closed;
    }

    private static String exchange(InetSocketAddress to, String request) {
        try (Socket socket = new Socket(to.getAddress(), to.getPort())) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
