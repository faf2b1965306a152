package io.penstock.bench.scale;

import io.penstock.bench.load.Account;
import io.penstock.bench.load.LoadClient;
import io.penstock.bench.load.LoadRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What curves do alike. Stateless; blocks its caller. */
final class Probe {

    static final int SMALL_BODY = 500;
    private static final long PATIENCE_SECONDS = 120;
    private static final long POLL_MILLIS = 20;

    private Probe() {
    }

    static List<LoadRequest> small() {
        return List.of(LoadRequest.post("/v1/completions", SMALL_BODY));
    }

    /** Lets the JIT settle on a load. */
    static void warm(LoadClient client, List<LoadRequest> requests, int concurrency, Machine machine) {
        TimedLoad.run(client, requests, concurrency, machine.warm());
    }

    /** Adds rate, CPU and resident memory under a load to a point; gives back how many requests there were. */
    static double load(Site site, LoadClient client, List<LoadRequest> requests, int concurrency, Machine machine, Point point) {
        Account before = site.account();
        long begun = System.nanoTime();
        long answered = TimedLoad.run(client, requests, concurrency, machine.point());
        double seconds = (System.nanoTime() - begun) / 1e9;
        Account after = site.account();
        double micros = after.cpuMicrosSince(before);
        point.add(Figure.RATE, answered / seconds).add(Figure.CPU, micros / answered).add(Figure.RESIDENT, after.residentKiB() / 1024.0);
        return answered;
    }

    /** Adds what the proxy uses while nobody asks for anything. */
    static void idle(Site site, Machine machine, Point point) {
        Account before = site.account();
        long begun = System.nanoTime();
        pause(machine.point());
        double seconds = (System.nanoTime() - begun) / 1e9;
        point.add(Figure.IDLE, site.account().cpuMicrosSince(before) / 1e3 / seconds);
    }

    /** Polls until something holds. */
    static void await(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(what + ": not within " + PATIENCE_SECONDS + " s");
            }
            pause(Duration.ofMillis(POLL_MILLIS));
        }
    }

    private static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
