package io.penstock.proxy.demo;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.DateFormatter;
import java.time.Clock;
import java.util.Date;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Time and timers of a simulated server. Timers are due on whole milliseconds, so that thousands of streams share their wake-ups. Only the
 * server's event loop uses it.
 */
final class SimClock {

    private static final long GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final EventLoop loop;
    private final Clock wall;
    private long dateSecond = -1;
    private String date = "";

    SimClock(EventLoop loop, Clock wall) {
        this.loop = loop;
        this.wall = wall;
    }

    long nanoTime() {
        return loop.ticker().nanoTime();
    }

    /** Seconds since 1970. */
    long seconds() {
        return Math.floorDiv(wall.millis(), 1000L);
    }

    /** The value of the header {@code Date}. */
    String date() {
        long second = seconds();
        if (second != dateSecond) {
            dateSecond = second;
            date = DateFormatter.format(new Date(second * 1000));
        }
        return date;
    }

    /** Runs the task at that time of {@link #nanoTime()} or up to a millisecond later. */
    Future<?> at(long dueNanos, Runnable task) {
        long now = nanoTime();
        long due = dueNanos + Math.floorMod(-dueNanos, GRID_NANOS);
        return loop.schedule(task, Math.max(0, due - now), TimeUnit.NANOSECONDS);
    }
}
