package io.penstock.bench.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a load client while they are opened: some at a time, so that no backlog overflows, each next one when one can be used.
 * It fails at the first that is refused or closed, and when for 30 s no other has become usable; a machine that is merely slow is waited
 * for, 5 minutes in all. On the client's event loop.
 */
final class Opening {

    private static final int AT_ONCE = 64;
    private static final long PATIENCE_SECONDS = 30;
    private static final int CHECKS = 10;

    private final Bootstrap bootstrap;
    private final EventLoop loop;
    private final int port;
    private final int wanted;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private int asked;
    private int usable;

    Opening(Bootstrap bootstrap, EventLoop loop, int port, int wanted) {
        this.bootstrap = bootstrap;
        this.loop = loop;
        this.port = port;
        this.wanted = wanted;
    }

    /** Completes when all can be used, and exceptionally when that will not be. */
    CompletableFuture<Void> done() {
        return done;
    }

    void begin() {
        for (int i = 0; i < Math.min(AT_ONCE, wanted); i++) {
            one();
        }
        checkAfter(0, CHECKS);
    }

    private void one() {
        asked++;
        bootstrap.connect(InetAddress.getLoopbackAddress(), port).addListener(this::connected);
    }

    private void connected(Future<? super Void> connection) {
        if (!connection.isSuccess()) {
            fail("no connection (expected: a listener, and enough open files: ulimit -n)", connection.cause());
        }
    }

    /** One more can be used. */
    void ready() {
        usable++;
        if (usable == wanted) {
            done.complete(null);
        } else if (asked < wanted && !done.isDone()) {
            one();
        }
    }

    /** One has been closed; before all are open that is the end. */
    void lost() {
        fail("closed while connections were opened (expected: a listener that keeps them)", null);
    }

    private void checkAfter(int before, int left) {
        loop.schedule(() -> {
            if (usable == before || left == 1) {
                fail("no other for " + PATIENCE_SECONDS + " s, or not all in " + CHECKS * PATIENCE_SECONDS
                        + " s (expected: SETTINGS on each)", null);
            } else if (!done.isDone()) {
                checkAfter(usable, left - 1);
            }
        }, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private void fail(String why, @Nullable Throwable cause) {
        done.completeExceptionally(new IllegalStateException("127.0.0.1:" + port + ", " + usable + " of " + wanted + " connections open: "
                + why, cause));
    }
}
