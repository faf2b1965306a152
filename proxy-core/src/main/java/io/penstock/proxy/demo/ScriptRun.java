package io.penstock.proxy.demo;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpUtil;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One request going through its script. Only the backend's event loop touches it. */
final class ScriptRun implements Runnable {

    /** The gate that {@link ScriptedBackend#hold()} closes. */
    static final String EVERYTHING = "";

    private final BackendExchange exchange;
    private final Script script;
    private final EventLoop loop;
    private final Function<String, ScriptGate> gates;
    private final Runnable onOver;
    private final int place;
    private final MessageDigest digest;
    private @Nullable ScriptGate waitingAt;
    private long bodyBytes;
    private long sent;
    private int next = -1;
    private boolean over;

    ScriptRun(BackendExchange exchange, Script script, EventLoop loop, Function<String, ScriptGate> gates, int place, Runnable onOver) {
        this.exchange = exchange;
        this.script = script;
        this.loop = loop;
        this.gates = gates;
        this.place = place;
        this.onOver = onOver;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    int place() {
        return place;
    }

    boolean begins(boolean atHead) {
        return script.isEarly() == atHead;
    }

    void body(byte[] data) {
        bodyBytes += data.length;
        digest.update(data);
    }

    SeenRequest complete(SeenRequest head, HttpHeaders trailers) {
        return head.completed(bodyBytes, HexFormat.of().formatHex(digest.digest()), trailers);
    }

    /** The client is gone. */
    void abandon() {
        if (waitingAt != null) {
            waitingAt.forget(this);
        }
        over();
    }

    /** Goes on where it stopped. Step -1 is the gate that holds everything. */
    @Override
    public void run() {
        waitingAt = null;
        while (!over && next < script.steps().size()) {
            int now = next++;
            if (now < 0 ? holds(EVERYTHING) : waits(script.steps().get(now))) {
                return;
            }
        }
        if (!over) {
            boolean keep = HttpUtil.isKeepAlive(exchange.request());
            over();
            if (keep) {
                exchange.finish();
            } else {
                exchange.finishAndClose();
            }
        }
    }

    /** Does one step; true when the rest comes later, or never. */
    private boolean waits(Script.Step step) {
        if (sent >= script.diesAt()) {
            end(script.diesByReset());
            return true;
        }
        if (step instanceof Script.Step.Send send) {
            return sends(send.bytes());
        }
        if (step instanceof Script.Step.Pause pause) {
            loop.schedule(this, pause.nanos(), TimeUnit.NANOSECONDS);
            return true;
        }
        if (step instanceof Script.Step.Hold hold) {
            return holds(hold.gate());
        }
        if (step instanceof Script.Step.End end) {
            end(end.reset());
        }
        return true;
    }

    private boolean sends(byte[] bytes) {
        int length = (int) Math.min(bytes.length, script.diesAt() - sent);
        sent += length;
        exchange.writeNow(Unpooled.wrappedBuffer(length == bytes.length ? bytes : Arrays.copyOf(bytes, length)));
        if (sent < script.diesAt()) {
            return false;
        }
        end(script.diesByReset());
        return true;
    }

    private boolean holds(String name) {
        ScriptGate gate = gates.apply(name);
        // Known before the gate is asked: a gate that opens runs this again at once.
        waitingAt = gate;
        if (!gate.pass(this)) {
            return true;
        }
        waitingAt = null;
        return false;
    }

    private void end(boolean reset) {
        over();
        if (reset) {
            exchange.finishAndReset();
        } else {
            exchange.finishAndClose();
        }
    }

    private void over() {
        if (!over) {
            over = true;
            onOver.run();
        }
    }
}
