package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.RejectReason;
import io.penstock.flow.testkit.TestRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The wheel against a plain list, through cancels, dispatches, long gaps and rounds. */
class ExpiryWheelTest {

    private record Expected(Rig.Sent sent, long atMillis) {
    }

    @Test
    void everyRequestExpiresOnTheFirstTickAtOrAfterItsDeadlineAndNoneBefore() {
        for (int seed = 0; seed < 20; seed++) {
            run(new Random(seed));
        }
    }

    @Test
    void aPassInPartsGoesOnWhereItStoppedWhateverComesAndGoesMeanwhile() {
        ExpiryWheel wheel = new ExpiryWheel(0);
        List<QueuedTicket> seen = new ArrayList<>();
        List<QueuedTicket> tickets = unlinked(8);
        tickets.subList(0, 4).forEach(ticket -> wheel.add(ticket, 0));
        assertThat(wheel.expire(Duration.ofMillis(20).toNanos(), 1, take(wheel, seen))).isTrue();
        // The last one put in is the first seen; the next of that list goes, and two more of the past come.
        wheel.remove(tickets.get(2));
        tickets.subList(4, 6).forEach(ticket -> wheel.add(ticket, 0));
        while (wheel.expire(Duration.ofMillis(20).toNanos(), 1, take(wheel, seen))) {
            assertThat(seen).hasSizeLessThan(8);
        }
        assertThat(seen).containsExactlyInAnyOrder(tickets.get(0), tickets.get(1), tickets.get(3), tickets.get(4), tickets.get(5));
        assertThat(wheel.size()).isZero();
    }

    @Test
    void whatComesWhenTheRestOfAListHasGoneIsSeenInTheSamePass() {
        ExpiryWheel wheel = new ExpiryWheel(0);
        List<QueuedTicket> seen = new ArrayList<>();
        List<QueuedTicket> tickets = unlinked(3);
        tickets.subList(0, 2).forEach(ticket -> wheel.add(ticket, 0));
        assertThat(wheel.expire(Duration.ofMillis(20).toNanos(), 1, take(wheel, seen))).isTrue();
        wheel.remove(tickets.get(0));
        wheel.add(tickets.get(2), 0);
        assertThat(wheel.expire(Duration.ofMillis(20).toNanos(), 5, take(wheel, seen))).isFalse();
        assertThat(seen).containsExactly(tickets.get(1), tickets.get(2));
    }

    private static Consumer<QueuedTicket> take(ExpiryWheel wheel, List<QueuedTicket> seen) {
        return ticket -> {
            wheel.remove(ticket);
            seen.add(ticket);
        };
    }

    /** Tickets that were refused, so that no queue and no wheel knows them. */
    private static List<QueuedTicket> unlinked(int count) {
        Rig rig = Rig.bands(1, 0);
        rig.send(0);
        return rig.send(count, 0).stream().map(sent -> (QueuedTicket) sent.ticket()).toList();
    }

    private static void run(Random random) {
        Rig rig = Rig.bands(5000, 0);
        List<Expected> waiting = new ArrayList<>();
        long now = 0;
        for (int step = 0; step < 600; step++) {
            int what = random.nextInt(10);
            if (what < 6) {
                // Up to 20 s: several rounds of the wheel.
                long ttl = 1 + random.nextInt(20_000);
                waiting.add(new Expected(rig.send(TestRequest.of("f" + random.nextInt(5), 0).ttl(Duration.ofMillis(ttl))), now + ttl));
            } else if (what == 6 && !waiting.isEmpty()) {
                waiting.remove(random.nextInt(waiting.size())).sent().ticket().cancel();
            } else {
                long gap = random.nextInt(20) == 0 ? random.nextInt(15_000) : random.nextInt(60);
                now += gap;
                rig.tickAfter(Duration.ofMillis(gap));
                for (Expected each : List.copyOf(waiting)) {
                    if (each.atMillis() <= now) {
                        assertThat(each.sent().listener().refused()).isEqualTo(RejectReason.TTL_EXPIRED);
                        waiting.remove(each);
                    } else {
                        assertThat(each.sent().listener().outcomes()).isZero();
                    }
                }
                assertThat(rig.waiting(0)).isEqualTo(waiting.size());
            }
        }
    }
}
