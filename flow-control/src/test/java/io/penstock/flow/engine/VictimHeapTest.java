package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.FlowEvents;
import io.penstock.flow.Lease;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.FakePlacement;
import io.penstock.flow.testkit.TestRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The heap of victims against a sorted list. */
class VictimHeapTest {

    private static final Comparator<Running> ORDER =
            Comparator.comparingInt((Running running) -> running.priority).thenComparing(running -> -running.order);

    private final FakePlacement placement = new FakePlacement(() -> FakeEndpoint.pool(new FakeEndpoint("e")));
    private final Reclaimer reclaimer = new Reclaimer(FlowEvents.NONE, 0);

    @Test
    void theFirstIsTheFirstThroughAnyHistory() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            VictimHeap heap = new VictimHeap();
            List<Running> model = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                if (random.nextInt(5) < 3) {
                    Lease lease = Objects.requireNonNull(placement.place(TestRequest.in(0)));
                    Running running = reclaimer.track(lease, -1 - random.nextInt(5));
                    heap.add(running);
                    model.add(running);
                } else if (!model.isEmpty()) {
                    Running running = model.remove(random.nextInt(model.size()));
                    heap.remove(running);
                    heap.remove(running);
                }
                assertThat(heap.first()).isSameAs(model.stream().min(ORDER).orElse(null));
            }
            model.sort(ORDER);
            for (Running next : model) {
                assertThat(heap.first()).isSameAs(next);
                heap.remove(next);
            }
            assertThat(heap.first()).isNull();
        }
    }
}
