package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.Stage;
import io.penstock.flow.testkit.ManualClock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeastLoadPlacementTest {

    private final ManualClock clock = new ManualClock();
    private final EndpointPool pool = new EndpointPool(clock);
    private final AtomicInteger signals = new AtomicInteger();
    private LeastLoadPlacement placement = placement(100, true);

    @Test
    void theLeastLoadedEndpointIsChargedAndItsLeaseSignals() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        find("a").charge(0, Fleet.NO_SIGNAL);
        EndpointLease lease = placed();
        assertThat(lease.endpoint()).isSameAs(find("b"));
        assertThat(find("b").inFlightRequests()).isEqualTo(1);
        lease.close();
        assertThat(signals).hasValue(1);
        assertThat(find("b").inFlightRequests()).isZero();
    }

    @Test
    void tiesGoInTurn() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2), Fleet.spec("c", 3)));
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            EndpointLease lease = placed();
            order.add(lease.endpoint().spec().name());
            lease.close();
        }
        assertThat(order).containsExactly("a", "b", "c", "a", "b", "c");
    }

    @Test
    void aPoolOfFullEndpointsTakesNothingUntilALeaseIsClosed() {
        placement = placement(2, true);
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        List<EndpointLease> leases = List.of(placed(), placed(), placed(), placed());
        assertThat(placement.place(Fleet.request())).isNull();
        assertThat(find("a").inFlightRequests()).isEqualTo(2);
        assertThat(find("b").inFlightRequests()).isEqualTo(2);
        leases.get(3).close();
        assertThat(placed().endpoint()).isSameAs(leases.get(3).endpoint());
    }

    @Test
    void limitsDoNotHoldWhereFlowControlIsOff() {
        placement = placement(1, false);
        pool.replace(List.of(Fleet.spec("a", 1)));
        placed();
        assertThat(placed().endpoint().inFlightRequests()).isEqualTo(2);
    }

    @Test
    void anEmptyPoolTakesNothing() {
        assertThat(placement.place(Fleet.request())).isNull();
        assertThat(placement.pickUncounted()).isNull();
    }

    @Test
    void onlyDecodeCapableEndpointsTakeRequests() {
        pool.replace(List.of(Fleet.spec("p", 1, "prefill"), Fleet.spec("d", 2, "decode"), Fleet.spec("pd", 3, "both"),
                Fleet.spec("e", 4, "encode"), Fleet.spec("plain", 5)));
        Map<String, Integer> shares = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            EndpointLease lease = placed();
            shares.merge(lease.endpoint().spec().name(), 1, Integer::sum);
            lease.close();
        }
        assertThat(shares).containsOnly(Map.entry("d", 10), Map.entry("pd", 10), Map.entry("plain", 10));
    }

    @Test
    void aPoolOfPrefillServersAloneTakesNothing() {
        pool.replace(List.of(Fleet.spec("p", 1, "prefill")));
        assertThat(placement.place(Fleet.request())).isNull();
        assertThat(placement.pickUncounted()).isNull();
    }

    @Test
    void aPoolWithoutAnyKnownStageIsOnePool() {
        pool.replace(List.of(Fleet.spec("x", 1, "custom")));
        assertThat(placed().endpoint()).isSameAs(find("x"));
    }

    @Test
    void aReplayGoesToAnEndpointThatItHasNotTried() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        for (int i = 0; i < 4; i++) {
            assertThat(placed(find("a")).endpoint()).isSameAs(find("b"));
        }
        assertThat(placement.pickUncounted(Fleet.request(find("a")))).isSameAs(find("b"));
    }

    @Test
    void aReplayWaitsForAnotherEndpointThatIsFull() {
        placement = placement(1, true);
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        EndpointLease full = find("b").charge(0, signals::incrementAndGet);
        assertThat(placement.place(Fleet.request(find("a")))).isNull();
        full.close();
        assertThat(placed(find("a")).endpoint()).isSameAs(find("b"));
    }

    @Test
    void aRequestThatHasTriedEveryMemberMayTryThemAgain() {
        pool.replace(List.of(Fleet.spec("a", 1)));
        assertThat(placed(find("a")).endpoint()).isSameAs(find("a"));
    }

    @Test
    void anEjectedEndpointTakesNothingWhileAnotherIsWell() {
        placement = placement(1, true);
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        eject("a");
        placed();
        assertThat(find("b").inFlightRequests()).isEqualTo(1);
        assertThat(placement.place(Fleet.request())).as("b is full, a is out").isNull();
        assertThat(placement.pickUncounted()).isSameAs(find("b"));
        assertThat(placement.pickUncounted()).isSameAs(find("b"));
    }

    @Test
    void whereAllAreEjectedAllTakeRequests() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        eject("a");
        eject("b");
        placed();
        placed();
        assertThat(find("a").inFlightRequests()).isEqualTo(1);
        assertThat(find("b").inFlightRequests()).isEqualTo(1);
        assertThat(placed(find("a")).endpoint()).isSameAs(find("b"));
        assertThat(placement.pickUncounted()).isNotNull();
    }

    @Test
    void aReplayPrefersAServerThatIsWellToOneThatIsOut() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        eject("a");
        assertThat(placed(find("b")).endpoint()).isSameAs(find("b"));
    }

    @Test
    void afterItsTimeOutOneRequestTriesAnEndpoint() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        eject("a");
        clock.advanceMillis(5_000);
        for (int i = 0; i < 20; i++) {
            placed();
        }
        assertThat(find("a").inFlightRequests()).isEqualTo(1);
        find("a").succeeded();
        for (int i = 0; i < 10; i++) {
            assertThat(placed().endpoint()).isSameAs(find("a"));
        }
    }

    @Test
    void anEndpointThatLeftThePoolIsNotChargedThroughAnOldView() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        Endpoint a = find("a");
        Endpoint b = find("b");
        var old = pool.get();
        placement = new LeastLoadPlacement(() -> old, StageDetectors.both(new Fleet.CountingDetector(100)), TokenCharge.NONE, clock,
                signals::incrementAndGet, EnumSet.allOf(Stage.class), 4096);
        pool.replace(List.of(Fleet.spec("b", 2)));
        for (int i = 0; i < 4; i++) {
            assertThat(placed().endpoint()).isSameAs(b);
        }
        assertThat(a.inFlightRequests()).isZero();
    }

    @Test
    void uncountedRequestsGoInTurnAndChargeNothing() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2), Fleet.spec("p", 3, "prefill")));
        List<@Nullable Endpoint> picks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            picks.add(placement.pickUncounted());
        }
        assertThat(picks).containsExactly(find("a"), find("b"), find("a"), find("b"));
        assertThat(find("a").inFlightRequests()).isZero();
    }

    private LeastLoadPlacement placement(int limit, boolean enforce) {
        return new LeastLoadPlacement(pool, StageDetectors.both(new Fleet.CountingDetector(limit)), TokenCharge.NONE, clock,
                signals::incrementAndGet, enforce ? EnumSet.allOf(Stage.class) : Set.of(), enforce ? 4096 : Integer.MAX_VALUE);
    }

    private EndpointLease placed(Endpoint... tried) {
        EndpointLease lease = placement.place(Fleet.request(tried));
        assertThat(lease).isNotNull();
        return lease;
    }

    private void eject(String name) {
        for (int i = 0; i < Health.THRESHOLD; i++) {
            find(name).failed();
        }
    }

    private Endpoint find(String name) {
        Endpoint endpoint = pool.find("default/" + name);
        assertThat(endpoint).isNotNull();
        return endpoint;
    }
}
