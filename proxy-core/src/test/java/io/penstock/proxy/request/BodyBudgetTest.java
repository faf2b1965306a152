package io.penstock.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BodyBudgetTest {

    @Test
    void aRequestMayHoldAsMuchAsIsLeftForOthers() {
        BodyBudget budget = new BodyBudget(100);
        assertThat(budget.tryTake(51, 0)).isFalse();
        assertThat(budget.held()).isZero();
        assertThat(budget.tryTake(50, 0)).isTrue();
        assertThat(budget.tryTake(1, 50)).isFalse();
        assertThat(budget.tryTake(25, 0)).isTrue();
        assertThat(budget.tryTake(12, 0)).isTrue();
        assertThat(budget.tryTake(7, 0)).isFalse();
        budget.giveBack(50);
        assertThat(budget.tryTake(7, 0)).isTrue();
        assertThat(budget.held()).isEqualTo(44);
    }

    /** Many threads take and give: what was granted is never above the limit together, and nothing is lost. */
    @Test
    void threadsThatRaceNeverHoldMoreThanTheLimitTogether() throws Exception {
        BodyBudget budget = new BodyBudget(1_000);
        AtomicLong granted = new AtomicLong();
        AtomicLong most = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                Random random = new Random(t);
                running.add(threads.submit(() -> {
                    for (int i = 0; i < 50_000; i++) {
                        int bytes = 1 + random.nextInt(600);
                        if (budget.tryTake(bytes, 0)) {
                            most.accumulateAndGet(granted.addAndGet(bytes), Math::max);
                            granted.addAndGet(-bytes);
                            budget.giveBack(bytes);
                        }
                    }
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(most.get()).isBetween(1L, 1_000L);
        assertThat(budget.held()).isZero();
    }
}
