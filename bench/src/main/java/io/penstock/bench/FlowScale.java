package io.penstock.bench;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.PoolView;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * 100 000 waiting requests in 8 bands and 10 000 flows: what one of them costs in memory, and how long the drainer keeps a thread at the
 * most while they come, while the pool loses its endpoints and gets them back, while half of them are dispatched and while the rest expire.
 * Run with a young generation that nothing fills, so that no collection falls into a turn; those that did are told. One thread, which is
 * the event loop too: a long turn is handed over to it and measured apart. The longest turn is given by the clock, in which whatever else
 * the machine does shows as well, and by the thread's own time.
 */
public final class FlowScale {

    private static final int WAITING = 100_000;
    private static final int BANDS = 8;
    private static final int FLOWS = 10_000;
    private static final long TTL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int ROUNDS = 10;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    private final Deque<Runnable> loop = new ArrayDeque<>();
    private long longest;
    private long longestOnCpu;
    private long turns;
    private long collections;

    private FlowScale() {
    }

    /** No arguments. */
    public static void main(String[] arguments) {
        for (int round = 1; round <= ROUNDS; round++) {
            // Early rounds warm up; the last one counts.
            new FlowScale().run(round == ROUNDS);
        }
    }

    private void run(boolean print) {
        AdmissionRequest[] requests = FlowRig.requests(BANDS, FLOWS);
        FlowRig rig = new FlowRig(BANDS, FlowRig.GLOBAL_STRICT, TTL_NANOS);
        rig.controller.register(loop::add);
        long before = used();
        phase("arrivals", print, () -> {
            for (int i = 0; i < WAITING; i++) {
                AdmissionRequest request = requests[i % FLOWS];
                turn(() -> rig.controller.submit(request, FlowRig.CLOSING, loop::add));
            }
        });
        if (print) {
            System.out.printf(Locale.ROOT, "memory: %.0f bytes per waiting request (ticket, queues, wheel, one flow for ten of them)%n",
                    (used() - before) / (double) WAITING);
        }
        PoolView members = rig.pool;
        phase("pool becomes empty", print, () -> flip(rig, PoolView.EMPTY));
        phase("pool comes back", print, () -> flip(rig, members));
        phase("half are dispatched", print, () -> {
            rig.tap.allow(WAITING / 2);
            turn(rig.controller::signal);
        });
        long end = System.nanoTime() + TTL_NANOS + TimeUnit.MILLISECONDS.toNanos(50);
        phase("half expire", print, () -> {
            while (System.nanoTime() - end < 0) {
                turn(rig.controller::tick);
            }
            turn(rig.controller::tick);
        });
        long left = rig.controller.bands().stream().mapToLong(band -> band.requests()).sum();
        if (left != 0) {
            throw new IllegalStateException("left waiting: " + left + " (expected: 0)");
        }
    }

    /** The pool changes, and the next ticks do what follows from it. */
    private void flip(FlowRig rig, PoolView to) {
        rig.pool = to;
        for (int i = 0; i < 100; i++) {
            turn(rig.controller::tick);
        }
    }

    private void phase(String name, boolean print, Runnable work) {
        longest = 0;
        longestOnCpu = 0;
        turns = 0;
        collections = 0;
        long began = System.nanoTime();
        work.run();
        long took = System.nanoTime() - began;
        if (print) {
            System.out.printf(Locale.ROOT, "%s: longest turn %.1f us (%.1f us of them on a core) of %d, all of it %.1f ms, "
                    + "collections in turns %d%n", name, longest / 1e3, longestOnCpu / 1e3, turns, took / 1e6, collections);
        }
    }

    /** Does it, and then what the loop was given; each task is one turn. */
    private void turn(Runnable first) {
        timed(first);
        for (Runnable task = loop.poll(); task != null; task = loop.poll()) {
            timed(task);
        }
    }

    private void timed(Runnable task) {
        long collected = collectionCount();
        long cpu = THREADS.getCurrentThreadCpuTime();
        long began = System.nanoTime();
        task.run();
        long took = System.nanoTime() - began;
        cpu = THREADS.getCurrentThreadCpuTime() - cpu;
        turns++;
        if (collectionCount() == collected) {
            longest = Math.max(longest, took);
            longestOnCpu = Math.max(longestOnCpu, cpu);
        } else {
            collections++;
        }
    }

    private static long collectionCount() {
        long count = 0;
        for (int i = 0; i < COLLECTORS.size(); i++) {
            count += COLLECTORS.get(i).getCollectionCount();
        }
        return count;
    }

    private static long used() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        for (int i = 0; i < 3; i++) {
            memory.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }
}
