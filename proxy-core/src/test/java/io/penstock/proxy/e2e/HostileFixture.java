package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.demo.SeenRequest;
import io.penstock.proxy.demo.Script;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A proxy under attack and an honest neighbour of the attacker. After each test the neighbour must have been served to the end, every
 * counter must be zero, and the log must have kept its calm.
 */
abstract class HostileFixture {

    static final Predicate<SeenRequest> NEIGHBOUR = request -> request.uri().equals("/neighbour");

    final ScriptedBackend backend = ScriptedBackend.start();
    private CapturedLog log;
    private Neighbour neighbour;
    RunningProxy proxy;

    /** Further keys of ProxyConfig. */
    String proxyKeys() {
        return "";
    }

    @BeforeEach
    void start() throws Exception {
        log = new CapturedLog();
        backend.answerWhen(NEIGHBOUR, Script.json(200, "{}"));
        proxy = RunningProxy.start(2, List.of(backend), proxyKeys(), RunningProxy.PICKER.formatted(50));
        neighbour = new Neighbour(proxy.port());
        neighbour.awaitServed(1);
    }

    /** The neighbour is served while the attack goes on. */
    void assertNeighbourServed() throws InterruptedException {
        neighbour.awaitServed(3);
    }

    List<String> logged() {
        return log.lines();
    }

    /** Waits until that many requests of others than the neighbour have reached the backend. */
    void awaitSeen(int requests) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(2))
                .until(() -> backend.requests().stream().filter(NEIGHBOUR.negate()).count() == requests);
    }

    /** Waits until only the neighbour's connection is left. */
    void awaitOthersGone() {
        Awaitility.await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(5))
                .until(() -> proxy.proxy.openConnections() == 1);
    }

    /** A value of the metrics page, 0 when the series is not there. */
    double metric(String series) throws Exception {
        return proxy.admin("GET", "/metrics").body().lines().filter(line -> line.startsWith(series + ' '))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1))).findFirst().orElse(0);
    }

    @AfterEach
    void stop() throws Exception {
        try {
            neighbour.awaitServed(1);
            neighbour.close();
            proxy.awaitQuiet();
            log.assertCalm();
        } finally {
            proxy.close();
            backend.close();
            log.close();
        }
        assertThat(proxy.proxy.openConnections()).isZero();
        assertThat(proxy.proxy.openRequests()).isZero();
    }
}
