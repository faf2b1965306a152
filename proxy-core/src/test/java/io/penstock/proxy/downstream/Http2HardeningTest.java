package io.penstock.proxy.downstream;

import static io.penstock.proxy.downstream.Http2Probe.DATA;
import static io.penstock.proxy.downstream.Http2Probe.END_HEADERS;
import static io.penstock.proxy.downstream.Http2Probe.END_STREAM;
import static io.penstock.proxy.downstream.Http2Probe.GOAWAY;
import static io.penstock.proxy.downstream.Http2Probe.HEADERS;
import static io.penstock.proxy.downstream.Http2Probe.PING;
import static io.penstock.proxy.downstream.Http2Probe.RST_STREAM;
import static io.penstock.proxy.downstream.Http2Probe.SETTINGS;
import static io.penstock.proxy.downstream.Http2Probe.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.http2.Abuse;
import io.penstock.proxy.downstream.Http2Probe.Frame;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The attack classes of spec/edge section 3, each with a second, honest connection that lives on. */
class Http2HardeningTest {

    private static final int PRIORITY = 2;
    private static final int CONTINUATION = 9;
    private static final int CALM = 11;
    private static final int REFUSED = 7;

    private TestProxy proxy;
    private Http2Probe client;
    private Http2Probe honest;

    @BeforeEach
    void start() {
        proxy = new TestProxy();
        client = new Http2Probe(proxy.address());
        honest = new Http2Probe(proxy.address());
        honest.get(1, "/hang").send();
    }

    @AfterEach
    void stop() {
        honest.get(3, "/hello").send();
        assertThat(honest.await(DATA, 3).last()).isTrue();
        client.close();
        honest.close();
        proxy.close();
        assertThat(proxy.listeners.openConnections()).isZero();
        assertThat(proxy.listeners.openRequests()).isZero();
        assertThat(proxy.requests.closed).hasSize((int) proxy.requests.requests.stream()
                .filter(request -> request.head().path().toString().equals("/hang")).count());
    }

    @AfterAll
    static void noBufferIsLeft() {
        LeakPresenceDetector.check();
    }

    private void assertEnded(Abuse kind) {
        Frame goAway = client.await(GOAWAY, 0);
        assertThat(goAway).as("GOAWAY").isNotEqualTo(Http2Probe.END);
        assertThat(goAway.number(4)).isEqualTo(CALM);
        assertThat(client.await(GOAWAY, 0)).isEqualTo(Http2Probe.END);
        assertThat(proxy.abuses).containsExactly(kind);
        assertThat(proxy.faults).containsExactly(ConnectionFault.ABUSE);
    }

    private void assertAlive(int stream) {
        client.get(stream, "/hello").send();
        assertThat(client.await(DATA, stream).last()).isTrue();
        assertThat(proxy.abuses).isEmpty();
    }

    @Test
    void requestsThatAreResetAtOnceEndTheConnection() {
        for (int i = 0; i < 501; i++) {
            client.get(2 * i + 1, "/hang").rst(2 * i + 1, 8);
        }
        client.send();

        assertEnded(Abuse.RAPID_RESET);
        // The reset of the 500th may be read together with the head of the 501st, or before it.
        assertThat(proxy.requests.requests).hasSizeBetween(500, 501);
    }

    @Test
    void aMinorityOfEarlyResetsIsNoAttack() {
        for (int i = 0; i < 1_000; i++) {
            if (i % 2 == 0) {
                client.get(2 * i + 1, "/hello");
            } else {
                client.get(2 * i + 1, "/hang").rst(2 * i + 1, 8);
            }
            if (i % 50 == 49) {
                client.send();
                client.await(DATA, 2 * i - 1);
            }
        }
        assertAlive(2_001);
    }

    @Test
    void aBurstBeforeSettingsAreKnownIsRefusedAndTheConnectionLives() {
        for (int i = 0; i < 350; i++) {
            client.post(2 * i + 1, "/hang").data(2 * i + 1, new byte[300], true);
        }
        client.window(699, 10).rst(699, 8).frame(PRIORITY, 0, 699, new byte[5]).send();
        for (int i = 0; i < 250; i++) {
            assertThat(client.await(frame -> frame.type() == RST_STREAM).number(0)).isEqualTo(REFUSED);
        }
        client.ping();

        assertThat(proxy.requests.requests).hasSize(101);
        client.rst(1, 8);
        assertAlive(701);
    }

    @Test
    void aHugeBurstEndsTheConnection() {
        for (int i = 0; i < 2_000; i++) {
            client.get(2 * i + 1, "/hang");
        }
        client.send();

        assertEnded(Abuse.STREAM_ERROR_FLOOD);
    }

    @Test
    void provokedResetsEndTheConnectionAndItsRequests() {
        for (int i = 0; i < 25; i++) {
            client.get(2 * i + 1, "/hang").window(2 * i + 1, 0);
        }
        client.send();

        assertEnded(Abuse.STREAM_ERROR_FLOOD);
        assertThat(proxy.requests.requests).hasSizeBetween(20, 23);
    }

    @Test
    void dataAfterTheEndIsAStreamErrorToo() {
        for (int i = 0; i < 25; i++) {
            client.get(2 * i + 1, "/hang").data(2 * i + 1, new byte[1_000], false);
        }
        client.send();

        assertEnded(Abuse.STREAM_ERROR_FLOOD);
    }

    @Test
    void whatRacesOurResetIsNoError() {
        client.post(1, "/early").send();
        assertThat(client.await(RST_STREAM, 1).number(0)).isZero();
        client.data(1, new byte[300], false).window(1, 5).frame(HEADERS, END_HEADERS | END_STREAM, 1, Http2Probe.fields("x-a", "b"));

        assertAlive(3);
        client.frame(HEADERS, END_HEADERS | END_STREAM, 3, Http2Probe.fields("x-a", "b")).send();
        assertThat(client.await(GOAWAY, 0).number(4)).as("HEADERS on a stream that ended in order").isEqualTo(5);
    }

    @Test
    void pingsHaveARate() {
        repeat(150, PING, 0, 0, new byte[8]);

        assertEnded(Abuse.PING_FLOOD);
    }

    @Test
    void pingsWithinTheRateAreAnswered() {
        repeat(90, PING, 0, 0, new byte[8]);

        assertAlive(1);
    }

    @Test
    void settingsHaveARate() {
        repeat(40, SETTINGS, 0, 0, new byte[0]);

        assertEnded(Abuse.SETTINGS_FLOOD);
    }

    @Test
    void oneSettingsFrameHasABound() {
        byte[] entries = new byte[6 * 33];
        for (int i = 0; i < 33; i++) {
            entries[6 * i + 1] = 1;
        }
        client.frame(SETTINGS, 0, 0, Arrays.copyOf(entries, 6 * 32)).send();
        client.ping();
        client.frame(SETTINGS, 0, 0, entries).send();

        assertEnded(Abuse.SETTINGS_FLOOD);
    }

    @Test
    void prioritiesAreBoundedByTheStreams() {
        repeat(101, PRIORITY, 0, 1, new byte[5]);

        assertEnded(Abuse.PRIORITY_FLOOD);
    }

    @Test
    void windowUpdatesAreBoundedByWhatWasSent() {
        repeat(6, WINDOW_UPDATE, 0, 0, Http2Probe.number(1));

        assertEnded(Abuse.WINDOW_UPDATE_FLOOD);
    }

    @Test
    void windowUpdatesForEachDataFrameAreHonest() {
        client.get(1, "/big/3000000").send();
        for (long received = 0; received < 3_000_000;) {
            Frame data = client.await(DATA, 1);
            assertThat(data).isNotEqualTo(Http2Probe.END);
            received += data.payload().length;
            client.window(0, data.payload().length).window(1, data.payload().length).send();
        }
        assertAlive(3);
    }

    @Test
    void unknownFramesHaveARate() {
        repeat(3_000, 77, 0, 0, new byte[4]);

        assertEnded(Abuse.UNKNOWN_FRAME_FLOOD);
    }

    @Test
    void twoEmptyDataFramesInARowEndTheConnection() {
        client.post(1, "/hang").data(1, new byte[0], false).data(1, new byte[1], false).data(1, new byte[0], false).send();
        client.ping();
        client.data(1, new byte[0], false).send();

        assertEnded(Abuse.EMPTY_DATA_FLOOD);
    }

    @Test
    void anUploadInSingleBytesEndsTheConnection() {
        client.post(1, "/hang");
        for (int i = 0; i < 50_000; i++) {
            client.data(1, new byte[1], false);
        }
        client.send();

        assertEnded(Abuse.TINY_DATA_FLOOD);
    }

    @Test
    void aHeaderBlockInManySmallFramesEndsTheConnection() {
        client.frame(HEADERS, END_STREAM, 1, Http2Probe.request("GET", "/hello"));
        for (int i = 0; i < 100; i++) {
            client.frame(CONTINUATION, 0, 1, new byte[0]);
        }
        client.send();

        assertThat(client.await(GOAWAY, 0).number(4)).isEqualTo(CALM);
        assertThat(proxy.faults).hasSize(1);
    }

    @Test
    void aHeaderBlockInAFewFramesIsARequest() {
        byte[] block = Http2Probe.request("GET", "/hello");
        client.frame(HEADERS, END_STREAM, 1, Arrays.copyOf(block, 10));
        client.frame(CONTINUATION, 0, 1, Arrays.copyOfRange(block, 10, 20));
        client.frame(CONTINUATION, END_HEADERS, 1, Arrays.copyOfRange(block, 20, block.length)).send();

        assertThat(client.await(DATA, 1).last()).isTrue();
    }

    @Test
    void paddingCountsAgainstTheWindowAndComesBack() {
        client.post(1, "/hang");
        byte[] padded = new byte[257];
        padded[0] = (byte) 255;
        long credit = 65_535;
        for (int i = 0; i < 50; i++) {
            while (credit < 100 * 257) {
                credit += client.await(WINDOW_UPDATE, 1).number(0);
            }
            for (int frame = 0; frame < 100; frame++) {
                client.frame(DATA, 8, 1, padded);
            }
            credit -= 100 * 257;
            client.send();
        }
        assertAlive(3);
    }

    @Test
    void paddingLongerThanTheFrameEndsTheConnection() {
        byte[] padded = new byte[10];
        padded[0] = 10;
        client.post(1, "/hang").frame(DATA, 8, 1, padded).send();

        assertThat(client.await(GOAWAY, 0).number(4)).isEqualTo(1);
        assertThat(proxy.faults).containsExactly(ConnectionFault.PROTOCOL_ERROR);
    }

    private void repeat(int times, int type, int flags, int stream, byte[] payload) {
        for (int i = 0; i < times; i++) {
            client.frame(type, flags, stream, payload);
        }
        client.send();
    }
}
