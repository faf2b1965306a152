package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.demo.Script;
import io.penstock.proxy.demo.ScriptedBackend;
import io.penstock.proxy.testkit.Http2RawClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** FC-19: a flow's requests reach the backend in the order in which they came, over all loops, also those that have to go twice. */
class OrderEndToEndTest {

    private static final int REQUESTS = 1000;
    /** So many that none of them sends more PINGs than a client may. */
    private static final int CLIENTS = 64;
    /** By then every loop has a connection that was used before, on which alone a death without a byte costs nothing. */
    private static final int WARM = 100;

    private final ScriptedBackend backend = ScriptedBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void aThousandRequestsOverEightLoopsArriveInOrderThoughEverySeventhGoesTwice() throws Exception {
        Set<Integer> died = ConcurrentHashMap.newKeySet();
        backend.answerWhen(seen -> {
            int number = number(seen.header("x-number"));
            return number > WARM && number % 7 == 0 && died.add(number);
        }, Script.json(200, "{}").dieAt(0, true));
        try (RunningProxy proxy = RunningProxy.start(8, List.of(backend), "", RunningProxy.PICKER.formatted(1))) {
            List<Http2RawClient> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(proxy.http2());
            }
            backend.hold();
            List<Integer> streams = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                Http2RawClient client = clients.get(i % CLIENTS);
                streams.add(Calls.post(client, "x-number", Integer.toString(i)));
                // Whose answer says that the loop has passed the request on: only then is the next one surely later.
                client.roundTrip();
            }
            backend.release();
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(clients.get(i % CLIENTS).response(streams.get(i)).status()).isEqualTo(200);
            }
            proxy.awaitQuiet();
        }
        List<Integer> order = new ArrayList<>();
        backend.requests().stream().filter(seen -> seen.method().equals("POST")).forEach(seen -> {
            int number = number(seen.header("x-number"));
            if (order.isEmpty() || order.get(order.size() - 1) != number) {
                order.add(number);
            }
        });
        assertThat(died).hasSize((int) IntStream.range(WARM + 1, REQUESTS).filter(i -> i % 7 == 0).count());
        assertThat(order).isEqualTo(IntStream.range(0, REQUESTS).boxed().toList());
    }

    private static int number(String header) {
        return header == null ? 0 : Integer.parseInt(header);
    }
}
