package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How the load client opens its connections. */
class LoadClientTest {

    @Test
    void moreConnectionsThanAreOpenedAtOnceAreAllUsable() {
        try (BackendStub stub = BackendStub.start(1); LoadClient client = LoadClient.open(Protocol.H2C, stub.ports().get(0), 200)) {
            LoadRequest request = LoadRequest.post(BackendStub.completionPath(0), 10);
            assertThat(ClosedLoop.run(client, request, 200, 400, Duration.ofSeconds(60)).clean()).isTrue();
            assertThat(stub.requests()).isEqualTo(400);
        }
    }

    @Test
    void aPortThatNobodyListensOnIsSaidAtOnce() {
        int port = Ports.free(1).get(0);
        assertThatThrownBy(() -> LoadClient.open(Protocol.HTTP1, port, 3)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("127.0.0.1:" + port + ", 0 of 3 connections open: no connection");
    }

    @Test
    void aConnectionThatIsClosedBeforeItIsUsableIsSaidAtOnce() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> acceptAndClose(server));
            assertThatThrownBy(() -> LoadClient.open(Protocol.H2C, server.getLocalPort(), 1)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("0 of 1 connections open: closed while");
            closing.join();
        }
    }

    private static void acceptAndClose(ServerSocket server) {
        try {
            server.accept().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
