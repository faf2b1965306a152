package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.EndpointView;
import io.penstock.flow.SaturationDetector;
import io.penstock.flow.Stage;
import io.penstock.flow.testkit.ManualClock;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Placement in a pool with servers for prefill alone: each request has two, or waits. */
class PrefillPlacementTest {

    private final ManualClock clock = new ManualClock();
    private final EndpointPool pool = new EndpointPool(clock);
    private Set<Stage> limited = EnumSet.allOf(Stage.class);
    private LeastLoadPlacement placement = placement(100, 100);

    private LeastLoadPlacement placement(int prefillLimit, int decodeLimit) {
        return new LeastLoadPlacement(pool, new StageDetectors(new Fleet.CountingDetector(prefillLimit),
                new Fleet.CountingDetector(decodeLimit)), new TokenCharge(true, false, 0, -1), clock, Fleet.NO_SIGNAL, limited, 4096);
    }

    private EndpointLease placed(Endpoint... tried) {
        EndpointLease lease = placement.place(Fleet.request(tried));
        assertThat(lease).isNotNull();
        return lease;
    }

    private Endpoint find(String name) {
        Endpoint endpoint = pool.find("default/" + name);
        assertThat(endpoint).isNotNull();
        return endpoint;
    }

    private void twoAndTwo() {
        pool.replace(List.of(Fleet.spec("p1", 1, "prefill"), Fleet.spec("p2", 2, "prefill"), Fleet.spec("d1", 3, "decode"),
                Fleet.spec("d2", 4, "decode")));
    }

    @Test
    void eachStageIsRankedByItself() {
        twoAndTwo();
        find("p1").charge(0, Fleet.NO_SIGNAL);
        find("d2").charge(0, Fleet.NO_SIGNAL);
        EndpointLease lease = placement.place(Fleet.sized(7, -1));
        assertThat(lease).isNotNull();
        assertThat(lease.endpoint()).isSameAs(find("d1"));
        assertThat(lease.prefill()).isSameAs(find("p2"));
        assertThat(find("d1").inFlightTokens()).isEqualTo(7);
        assertThat(find("p2").inFlightTokens()).isEqualTo(7);
        assertThat(find("p2").inFlightRequests()).isEqualTo(1);
    }

    @Test
    void tiesGoInTurnInEachStage() {
        twoAndTwo();
        Set<String> pairs = new TreeSet<>();
        for (int i = 0; i < 2; i++) {
            EndpointLease lease = placed();
            Endpoint helper = lease.prefill();
            pairs.add(lease.endpoint().spec().name() + helper);
            lease.close();
        }
        assertThat(pairs).hasSize(2);
    }

    @Test
    void detectorsAreAskedForThePartThatAnEndpointPlays() {
        AskedDetector prefill = new AskedDetector();
        AskedDetector decode = new AskedDetector();
        placement = new LeastLoadPlacement(pool, new StageDetectors(prefill, decode), TokenCharge.NONE, clock, Fleet.NO_SIGNAL, limited,
                4096);
        twoAndTwo();
        placed();
        assertThat(prefill.parts).containsExactly("fits PREFILL", "load PREFILL");
        assertThat(decode.parts).containsExactly("fits DECODE", "load DECODE");
        pool.replace(List.of(Fleet.spec("one", 1, "")));
        decode.parts.clear();
        placed();
        assertThat(decode.parts).as("a pool without stages").containsExactly("fits null", "load null");
    }

    @Test
    void aFullStageMakesTheRequestWaitAndChargesNeither() {
        placement = placement(1, 2);
        pool.replace(List.of(Fleet.spec("p", 1, "prefill"), Fleet.spec("d", 2, "decode")));
        EndpointLease first = placed();
        assertThat(placement.place(Fleet.request())).as("prefill is full").isNull();
        assertThat(find("d").inFlightRequests()).isEqualTo(1);
        first.firstByte();
        EndpointLease second = placed();
        second.firstByte();
        assertThat(placement.place(Fleet.request())).as("decode is full").isNull();
        assertThat(find("p").inFlightRequests()).isZero();
        first.close();
        assertThat(placed().prefill()).isSameAs(find("p"));
    }

    @Test
    void aStageThatDoesNotGateHoldsNothingBack() {
        pool.replace(List.of(Fleet.spec("p", 1, "prefill"), Fleet.spec("d", 2, "decode")));
        limited = Set.of(Stage.DECODE);
        placement = placement(1, 2);
        placed();
        assertThat(placed().prefill()).isSameAs(find("p"));
        assertThat(placement.place(Fleet.request())).as("decode is full").isNull();
        limited = Set.of(Stage.PREFILL);
        placement = placement(3, 1);
        assertThat(placed().endpoint()).isSameAs(find("d"));
        assertThat(placement.place(Fleet.request())).as("prefill is full").isNull();
    }

    @Test
    void thePrefillServerNeedsNoConnectionOfOurs() {
        pool.replace(List.of(Fleet.spec("p", 1, "prefill"), Fleet.spec("d", 2, "decode"), Fleet.spec("e", 3, "decode")));
        placement = new LeastLoadPlacement(pool, StageDetectors.both(new Fleet.CountingDetector(100)), TokenCharge.NONE, clock,
                Fleet.NO_SIGNAL, limited, 1);
        placed();
        placed();
        assertThat(find("p").inFlightRequests()).isEqualTo(2);
        assertThat(placement.place(Fleet.request())).isNull();
    }

    @Test
    void anInterleavedServerThatIsTheLeastLoadedOfBothDoesBothAndIsChargedOnce() {
        pool.replace(List.of(Fleet.spec("p", 1, "prefill"), Fleet.spec("both", 2, "both")));
        find("p").charge(0, Fleet.NO_SIGNAL);
        EndpointLease lease = placed();
        assertThat(lease.endpoint()).isSameAs(find("both"));
        assertThat(lease.prefill()).isNull();
        assertThat(find("both").inFlightRequests()).isEqualTo(1);
        lease.close();
        assertThat(find("both").inFlightRequests()).isZero();
    }

    @Test
    void aPoolOfInterleavedServersIsNotSplit() {
        pool.replace(List.of(Fleet.spec("a", 1, "both"), Fleet.spec("b", 2, "prefill-decode"), Fleet.spec("d", 3, "decode")));
        for (int i = 0; i < 9; i++) {
            assertThat(placed().prefill()).isNull();
        }
    }

    @Test
    void aMembershipThatChangesChangesTheWay() {
        pool.replace(List.of(Fleet.spec("d", 1, "decode")));
        assertThat(placed().prefill()).isNull();
        pool.replace(List.of(Fleet.spec("d", 1, "decode"), Fleet.spec("p", 2, "prefill")));
        assertThat(placed().prefill()).isSameAs(find("p"));
        pool.replace(List.of(Fleet.spec("d", 1, "decode")));
        assertThat(placed().prefill()).isNull();
        pool.replace(List.of(Fleet.spec("p", 2, "prefill")));
        assertThat(placement.place(Fleet.request())).as("nothing decodes").isNull();
    }

    @Test
    void anEjectedOrTriedServerIsNotChosenForPrefillWhileAnotherIsWell() {
        pool.replace(List.of(Fleet.spec("p", 1, "prefill"), Fleet.spec("x", 2, "both"), Fleet.spec("d", 3, "decode")));
        for (int i = 0; i < Health.THRESHOLD; i++) {
            find("x").failed();
        }
        for (int i = 0; i < 4; i++) {
            assertThat(placed().prefill()).isSameAs(find("p"));
        }
        find("x").succeeded();
        find("p").charge(0, Fleet.NO_SIGNAL);
        for (int i = 0; i < 4; i++) {
            assertThat(placed(find("x")).prefill()).isSameAs(find("p"));
        }
    }

    @Test
    void onePrefillServerThatLeftLeavesNoChargeBehind() {
        twoAndTwo();
        var old = pool.get();
        Endpoint gone = find("p1");
        @Nullable Endpoint stays = find("p2");
        placement = new LeastLoadPlacement(() -> old, StageDetectors.both(new Fleet.CountingDetector(100)), TokenCharge.NONE, clock,
                Fleet.NO_SIGNAL, limited, 4096);
        pool.replace(List.of(Fleet.spec("p2", 2, "prefill"), Fleet.spec("d1", 3, "decode")));
        for (int i = 0; i < 4; i++) {
            assertThat(placed().prefill()).isSameAs(stays);
        }
        assertThat(gone.inFlightRequests()).isZero();
        assertThat(find("d1").inFlightRequests()).isEqualTo(4);
    }

    /** Leaves the pool after the scan has seen it and before it is charged. */
    @Test
    void aServerThatLeavesInBetweenCostsNeitherOfTheTwoACharge() {
        for (String leaver : List.of("p1", "d1")) {
            twoAndTwo();
            Endpoint gone = find(leaver);
            List<EndpointSpec> rest = pool.members().stream().filter(member -> member != gone).map(Endpoint::spec).toList();
            Fleet.CountingDetector counting = new Fleet.CountingDetector(100);
            SaturationDetector leaving = new SaturationDetector() {
                @Override
                public String name() {
                    return "leaving";
                }

                @Override
                public double saturation(List<EndpointView> endpoints, long nowNanos) {
                    return counting.saturation(endpoints, nowNanos);
                }

                @Override
                public double load(EndpointView endpoint, long nowNanos) {
                    if (endpoint == gone && !gone.cordoned()) {
                        pool.replace(rest);
                        return -1;
                    }
                    return counting.load(endpoint, nowNanos);
                }

                @Override
                public boolean fits(EndpointView endpoint) {
                    return true;
                }
            };
            placement = new LeastLoadPlacement(pool, StageDetectors.both(leaving), TokenCharge.NONE, clock, Fleet.NO_SIGNAL, limited, 4096);
            EndpointLease lease = placed();
            assertThat(List.of(lease.endpoint(), lease.prefill())).doesNotContain(gone);
            assertThat(gone.inFlightRequests()).isZero();
            assertThat(pool.members().stream().mapToInt(Endpoint::inFlightRequests).sum()).isEqualTo(2);
            lease.close();
        }
    }

    /** Always idle; remembers for which part it was asked. */
    private static final class AskedDetector implements SaturationDetector {

        private final Set<String> parts = new TreeSet<>();

        @Override
        public String name() {
            return "asked";
        }

        @Override
        public double saturation(List<EndpointView> endpoints, long nowNanos) {
            return 0;
        }

        @Override
        public double load(EndpointView endpoint, long nowNanos) {
            throw new AssertionError("asked without a stage");
        }

        @Override
        public double load(@Nullable Stage stage, EndpointView endpoint, long nowNanos) {
            parts.add("load " + stage);
            return 0;
        }

        @Override
        public boolean fits(EndpointView endpoint) {
            throw new AssertionError("asked without a stage");
        }

        @Override
        public boolean fits(@Nullable Stage stage, EndpointView endpoint) {
            parts.add("fits " + stage);
            return true;
        }
    }
}
