package io.penstock.proxy.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Turns SIGTERM and Ctrl-C into an open latch. Any thread. */
final class StopSignal {

    private static final long CLEAN_UP_SECONDS = 5;

    private StopSignal() {
    }

    /** Opens the latch when the process is told to stop. */
    static void onExit(CountDownLatch stop) {
        Runtime.getRuntime().addShutdownHook(new Thread(stop::countDown, "stop"));
    }

    /** Opens the latch when the process is told to stop, and lets it live until the other one opens, within reason. */
    static void onExit(CountDownLatch stop, CountDownLatch cleanedUp) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.countDown();
            try {
                cleanedUp.await(CLEAN_UP_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException stopNow) {
                Thread.currentThread().interrupt();
            }
        }, "stop"));
    }
}
