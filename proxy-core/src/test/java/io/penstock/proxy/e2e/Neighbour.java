package io.penstock.proxy.e2e;

import io.penstock.proxy.testkit.Http1RawClient;
import io.penstock.proxy.testkit.Http1Response;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An honest client that asks again and again on one connection while others misbehave. Its own thread; every method from the test's. */
final class Neighbour {

    private static final String REQUEST = "POST /neighbour HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\n{}";
    private static final long PATIENCE_MILLIS = 15_000;

    private final Http1RawClient client;
    private final Thread thread = new Thread(this::ask, "neighbour");
    private long served;
    private boolean stopped;
    private @Nullable Throwable failure;

    Neighbour(int port) {
        client = Http1RawClient.connect(port);
        thread.start();
    }

    private void ask() {
        try {
            while (!isStopped()) {
                client.send(REQUEST);
                Http1Response response = client.response();
                if (response.status() != 200) {
                    throw new AssertionError("the neighbour got " + response.status() + ' ' + response.text());
                }
                count();
            }
        } catch (RuntimeException | AssertionError e) {
            fail(e);
        }
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    private synchronized void count() {
        served++;
        notifyAll();
        try {
            // A client with a little to do between requests: the machine belongs to the attack as well.
            wait(2);
        } catch (InterruptedException e) {
            stopped = true;
        }
    }

    private synchronized void fail(Throwable cause) {
        failure = cause;
        notifyAll();
    }

    /** Waits until it has been served that many times more. */
    synchronized void awaitServed(int more) throws InterruptedException {
        long wanted = served + more;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (served < wanted && failure == null) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("the neighbour was served " + served + " times (expected: " + wanted + ')');
            }
            wait(left);
        }
        if (failure != null) {
            throw new AssertionError("the neighbour was not served", failure);
        }
    }

    /** Ends it; fails when it has met an error. */
    void close() throws InterruptedException {
        synchronized (this) {
            stopped = true;
            notifyAll();
        }
        thread.join(PATIENCE_MILLIS);
        client.close();
        synchronized (this) {
            if (failure != null) {
                throw new AssertionError("the neighbour was not served", failure);
            }
        }
    }
}
