package io.penstock.proxy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Loses nothing, whoever adds and whenever it is read. */
class LoopCellsTest {

    private static final int ADDITIONS = 20_000;

    private final LoopCells cells = new LoopCells(2);

    private static List<Thread> started(int count, Function<Runnable, Thread> kind, Runnable work) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = kind.apply(work);
            threads.add(thread);
            thread.start();
        }
        return threads;
    }

    private static void joined(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void addMany() {
        for (int i = 0; i < ADDITIONS; i++) {
            cells.add(0, 1, 1, 3);
        }
    }

    @Test
    void loopsAndOtherThreadsTogetherAddUpExactly() throws InterruptedException {
        List<Thread> threads = started(3, FastThreadLocalThread::new, this::addMany);
        threads.addAll(started(3, Thread::new, this::addMany));
        joined(threads);

        assertThat(cells.sum(0)).isEqualTo(6 * ADDITIONS);
        assertThat(cells.sum(1)).isEqualTo(18 * ADDITIONS);
    }

    @Test
    void moreLoopsThanThereAreNumbersAddUpExactlyToo() throws InterruptedException {
        int loops = LoopStripe.COUNT + 8;
        CountDownLatch allHaveOne = new CountDownLatch(loops);
        joined(started(loops, FastThreadLocalThread::new, () -> {
            LoopStripe.current();
            allHaveOne.countDown();
            try {
                allHaveOne.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            for (int i = 0; i < 1_000; i++) {
                cells.add(0, 1);
            }
        }));

        assertThat(cells.sum(0)).isEqualTo(loops * 1_000L);
    }

    @Test
    void aSumNeverFallsWhileItIsAddedTo() throws InterruptedException {
        AtomicInteger running = new AtomicInteger(2);
        List<Thread> threads = started(2, FastThreadLocalThread::new, () -> {
            addMany();
            running.decrementAndGet();
        });
        long last = 0;
        boolean fell = false;
        while (running.get() > 0) {
            long now = cells.sum(0);
            fell |= now < last;
            last = now;
        }
        joined(threads);

        assertThat(fell).isFalse();
        assertThat(cells.sum(0)).isEqualTo(2 * ADDITIONS);
    }

    @Test
    void twoLoopsNeverHaveOneNumber() throws InterruptedException {
        AtomicReference<Integer> other = new AtomicReference<>();
        int[] own = new int[2];
        Thread thread = new FastThreadLocalThread(() -> {
            own[0] = LoopStripe.current();
            Thread inner = new FastThreadLocalThread(() -> other.set(LoopStripe.current()));
            inner.start();
            try {
                inner.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            own[1] = LoopStripe.current();
        });
        thread.start();
        thread.join();

        assertThat(own[0]).isEqualTo(own[1]);
        // The shared one only where other loops of this JVM have taken all the rest.
        assertThat(other.get() == LoopStripe.SHARED || other.get() != own[0]).isTrue();
        assertThat(LoopStripe.current()).isEqualTo(LoopStripe.SHARED);
    }

    @Test
    void numbersOfThreadsThatEndedAreUsedAgain() throws InterruptedException {
        AtomicInteger without = new AtomicInteger();
        for (int i = 0; i < 3 * LoopStripe.COUNT; i++) {
            joined(started(1, FastThreadLocalThread::new, () -> {
                cells.add(0, 1);
                without.addAndGet(LoopStripe.current() == LoopStripe.SHARED ? 1 : 0);
            }));
        }

        assertThat(cells.sum(0)).isEqualTo(3 * LoopStripe.COUNT);
        assertThat(without.get()).isLessThan(2 * LoopStripe.COUNT);
    }
}
