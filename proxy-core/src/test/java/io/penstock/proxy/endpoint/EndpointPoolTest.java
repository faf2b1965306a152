package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.EngineSample;
import io.penstock.flow.PoolView;
import io.penstock.flow.Stage;
import io.penstock.flow.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndpointPoolTest {

    private static final EngineSample BUSY = new EngineSample(1, 9, 9, 0.9);

    private final EndpointPool pool = new EndpointPool(new ManualClock());
    private final List<PoolChange> changes = new ArrayList<>();

    @Test
    void aPoolIsSyncedByItsFirstListEvenAnEmptyOne() {
        assertThat(pool.synced()).isFalse();
        pool.replace(List.of());
        assertThat(pool.synced()).isTrue();
        assertThat(pool.get().isEmpty()).isTrue();
    }

    @Test
    void theSameListAgainPublishesNothing() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        PoolView view = pool.get();
        pool.listen(changes::add);
        changes.clear();
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        assertThat(pool.get()).isSameAs(view);
        assertThat(changes).isEmpty();
    }

    @Test
    void aLateListenerHearsOfThePresentMembersFirst() {
        pool.replace(List.of(Fleet.spec("a", 1)));
        pool.listen(changes::add);
        assertThat(changes).singleElement().satisfies(change -> assertThat(change.added()).containsExactly(find("a")));
    }

    @Test
    void aListenerThatThrowsDoesNotKeepTheChangeFromTheOthers() {
        pool.listen(change -> {
            throw new IllegalStateException("thrown by a test");
        });
        pool.listen(changes::add);
        pool.replace(List.of(Fleet.spec("a", 1)));
        assertThat(changes).hasSize(1);
        assertThat(pool.get().endpoints()).hasSize(1);
    }

    @Test
    void newLabelsKeepTheObjectAndMoveItBetweenStages() {
        pool.replace(List.of(Fleet.spec("a", 1)));
        Endpoint a = find("a");
        a.charge(0, Fleet.NO_SIGNAL);
        sample(a);
        pool.listen(changes::add);
        pool.replace(List.of(Fleet.spec("a", 1, "prefill")));
        assertThat(find("a")).isSameAs(a);
        assertThat(a.inFlightRequests()).isEqualTo(1);
        assertThat(a.sample()).isSameAs(BUSY);
        assertThat(pool.get().stage(Stage.DECODE)).isEmpty();
        assertThat(pool.get().stage(Stage.PREFILL)).containsExactly(a);
        assertThat(changes.get(1).relabelled()).containsExactly(a);
        assertThat(changes.get(1).removed()).isEmpty();
    }

    @Test
    void aNewAddressIsANewServerThatInheritsNoCounts() {
        pool.replace(List.of(Fleet.spec("a", 1)));
        Endpoint old = find("a");
        EndpointLease lease = old.charge(0, Fleet.NO_SIGNAL);
        sample(old);
        pool.listen(changes::add);
        pool.replace(List.of(Fleet.spec("a", 2)));

        Endpoint fresh = find("a");
        assertThat(fresh).isNotSameAs(old);
        assertThat(fresh.inFlightRequests()).isZero();
        assertThat(fresh.sample()).isSameAs(BUSY);
        assertThat(old.cordoned()).isTrue();
        assertThat(pool.retiring()).containsExactly(old);
        assertThat(changes.get(1).added()).containsExactly(fresh);
        assertThat(changes.get(1).removed()).containsExactly(old);

        lease.close();
        assertThat(old.inFlightRequests()).isZero();
        assertThat(fresh.inFlightRequests()).isZero();
        assertThat(pool.retiring()).isEmpty();
    }

    @Test
    void anEndpointThatComesBackWhileRequestsRunOnItStartsFromItsTrueCount() {
        pool.replace(List.of(Fleet.spec("a", 1), Fleet.spec("b", 2)));
        Endpoint a = find("a");
        List<EndpointLease> streams = List.of(a.charge(0, Fleet.NO_SIGNAL), a.charge(0, Fleet.NO_SIGNAL), a.charge(0, Fleet.NO_SIGNAL));
        sample(a);
        pool.replace(List.of(Fleet.spec("b", 2)));
        assertThat(a.cordoned()).isTrue();
        assertThat(pool.get().endpoints()).doesNotContain(a);
        streams.get(0).close();

        pool.replace(List.of(Fleet.spec("b", 2), Fleet.spec("a", 1)));

        assertThat(find("a")).isSameAs(a);
        assertThat(a.cordoned()).isFalse();
        assertThat(a.inFlightRequests()).isEqualTo(2);
        assertThat(a.sample()).as("what was known before it left").isNull();
        assertThat(pool.retiring()).isEmpty();
        streams.get(1).close();
        streams.get(2).close();
        assertThat(a.inFlightRequests()).isZero();
    }

    @Test
    void anIdleEndpointThatComesBackIsAnotherOne() {
        pool.replace(List.of(Fleet.spec("a", 1)));
        Endpoint a = find("a");
        a.failed();
        pool.replace(List.of());
        pool.replace(List.of(Fleet.spec("a", 1)));
        assertThat(find("a")).isNotSameAs(a);
        assertThat(find("a").consecutiveFailures()).isZero();
    }

    @Test
    void aThousandTogglesEndWithTheLastAddPresentAndItsLabels() {
        for (int i = 0; i < 1_000; i++) {
            pool.replace(List.of(Fleet.spec("a", 1, "r" + i)));
            pool.replace(List.of());
        }
        pool.replace(List.of(Fleet.spec("a", 1, "decode")));
        assertThat(pool.get().stage(Stage.DECODE)).singleElement().isSameAs(find("a"));
        assertThat(find("a").spec().role()).isEqualTo("decode");
        assertThat(find("a").cordoned()).isFalse();
        assertThat(pool.retiring()).isEmpty();
    }

    @Test
    void anIdentityThatIsThereTwiceChangesNothing() {
        pool.replace(List.of(Fleet.spec("a", 1)));
        PoolView view = pool.get();
        assertThatThrownBy(() -> pool.replace(List.of(Fleet.spec("b", 1), Fleet.spec("b", 2))))
                .isInstanceOf(IllegalArgumentException.class).hasMessage("endpoints: default/b twice (expected: one entry a name)");
        assertThat(pool.get()).isSameAs(view);
    }

    @Test
    void ejectionDoesNotChangeTheView() {
        pool.replace(List.of(Fleet.spec("a", 1)));
        PoolView view = pool.get();
        find("a").failed();
        find("a").failed();
        find("a").failed();
        assertThat(pool.get()).isSameAs(view);
        assertThat(view.stage(Stage.DECODE)).hasSize(1);
    }

    private static void sample(Endpoint endpoint) {
        endpoint.counts().publish(endpoint.counts().mark(), BUSY);
    }

    private Endpoint find(String name) {
        Endpoint endpoint = pool.find("default/" + name);
        assertThat(endpoint).isNotNull();
        return endpoint;
    }
}
