package io.penstock.proxy.demo;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One request that generates: waits for a slot, makes its tokens in simulated time, writes them, and gives the slot back when the last one
 * is made or its client is gone. A client that reads slowly holds it up, so that memory stays bounded. Only the server's event loop
 * touches it.
 */
final class SimJob implements SimEngine.Job, Runnable {

    private static final byte[] NOTHING = {};

    private final SimWorld world;
    private final BackendExchange exchange;
    private final SimRequest request;
    private final SimAnswer answer;
    private final long arrived;
    private final long blocks;
    private long started;
    private long firstToken;
    private long due;
    private int made;
    private byte @Nullable [] beforeToken;
    private byte @Nullable [] afterToken;
    private @Nullable Future<?> timer;
    private boolean running;
    private boolean over;
    private boolean stalled;

    SimJob(SimWorld world, BackendExchange exchange, SimRequest request, SimAnswer answer) {
        this.world = world;
        this.exchange = exchange;
        this.request = request;
        this.answer = answer;
        this.arrived = world.clock().nanoTime();
        SimOptions.Cache cache = world.options().cache();
        int tokens = answer.promptTokens() + answer.tokens().size();
        this.blocks = cache.enabled() ? (tokens + cache.blockTokens() - 1L) / cache.blockTokens() : 0;
    }

    @Override
    public void started() {
        running = true;
        started = world.clock().nanoTime();
        world.metrics().queued(started - arrived);
        world.metrics().blocks(blocks);
        due = started + world.options().latency().firstToken(world.random(), answer.promptTokens(), request.remotePrefill(),
                world.engine().load());
        run();
    }

    /** The client is gone. */
    void abandon() {
        leave();
    }

    /** The client reads again. */
    void resume() {
        if (stalled) {
            stalled = false;
            run();
        }
    }

    /** Makes every token that is due, then waits for the next. */
    @Override
    public void run() {
        while (!over) {
            if (made > 0 && request.stream() && !exchange.writable()) {
                stalled = true;
                return;
            }
            if (due > world.clock().nanoTime()) {
                timer = world.clock().at(due, this);
                return;
            }
            makeToken();
        }
    }

    private void makeToken() {
        if (made == 0) {
            firstToken = world.clock().nanoTime();
            world.metrics().firstToken(firstToken - started, firstToken - arrived, answer.promptTokens());
            begin();
        }
        if (request.stream()) {
            world.http().event(exchange, beforeToken == null ? NOTHING : beforeToken, answer.token(made),
                    afterToken == null ? NOTHING : afterToken);
        }
        made++;
        if (made == answer.tokens().size()) {
            end();
            return;
        }
        long gap = world.options().latency().nextToken(world.random(), world.engine().load());
        world.metrics().nextToken(gap);
        due += gap;
    }

    private void begin() {
        if (!request.stream()) {
            return;
        }
        beforeToken = answer.beforeToken();
        afterToken = answer.afterToken();
        world.http().startStream(exchange);
        if (answer.chat()) {
            world.http().event(exchange, answer.roleEvent(), NOTHING, NOTHING);
        }
    }

    private void end() {
        SimTimes times = new SimTimes(arrived, started, firstToken, world.clock().nanoTime());
        world.metrics().succeeded(answer.finishReason(), answer.promptTokens(), made, request.maxTokens(), times);
        // The slot first: whoever has read the answer finds it free.
        leave();
        if (!request.stream()) {
            world.http().whole(exchange, 200, SimHttp.JSON, answer.whole());
            return;
        }
        world.http().event(exchange, answer.finishEvent(), NOTHING, NOTHING);
        if (request.includeUsage()) {
            world.http().event(exchange, answer.usageEvent(), NOTHING, NOTHING);
        }
        world.http().event(exchange, SimAnswer.DONE, NOTHING, NOTHING);
        world.http().endStream(exchange);
    }

    private void leave() {
        if (over) {
            return;
        }
        over = true;
        if (timer != null) {
            timer.cancel(false);
        }
        if (running) {
            world.metrics().blocks(-blocks);
        }
        world.engine().leave(this);
    }
}
