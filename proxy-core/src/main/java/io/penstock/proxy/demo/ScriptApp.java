package io.penstock.proxy.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.proxy.demo.ScriptCounts.Count;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Gives each request of a scripted backend its script. Only the backend's event loop calls it. */
final class ScriptApp implements BackendApp {

    private record Rule(Predicate<SeenRequest> fits, Script script) {
    }

    private static final ByteBuf NOT_FOUND = Unpooled.unreleasableBuffer(
            Unpooled.copiedBuffer("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", StandardCharsets.US_ASCII));

    private final ScriptCounts counts;
    private final EventLoop loop;
    private final Map<String, ScriptGate> gates = new HashMap<>();
    private final ArrayDeque<Script> nextScripts = new ArrayDeque<>();
    private final ArrayDeque<Rule> rules = new ArrayDeque<>();
    private Script usual = Script.chat("one two three four");

    ScriptApp(ScriptCounts counts, EventLoop loop) {
        this.counts = counts;
        this.loop = loop;
        gates.put(ScriptRun.EVERYTHING, new ScriptGate(true));
    }

    ScriptGate gate(String name) {
        return gates.computeIfAbsent(name, unknown -> new ScriptGate(false));
    }

    void answer(Script script) {
        usual = script;
    }

    void answerNext(List<Script> scripts) {
        nextScripts.addAll(scripts);
    }

    void answerWhen(Predicate<SeenRequest> fits, Script script) {
        rules.addFirst(new Rule(fits, script));
    }

    @Override
    public void connected() {
        counts.add(Count.CONNECTIONS, 1);
        counts.add(Count.OPEN_CONNECTIONS, 1);
    }

    @Override
    public void disconnected() {
        counts.add(Count.OPEN_CONNECTIONS, -1);
    }

    @Override
    public void head(BackendExchange exchange) {
        SeenRequest seen = SeenRequest.head(exchange);
        if (exchange.path().equals("/metrics") && ruleFor(seen) == null) {
            // A scraper is no client: it is neither held nor counted.
            exchange.write(NOT_FOUND.duplicate());
            exchange.finish();
            return;
        }
        ScriptRun run = new ScriptRun(exchange, choose(seen), loop, this::gate, counts.seen(seen), () -> counts.add(Count.RUNNING, -1));
        exchange.attach(run);
        if (run.begins(true)) {
            run.run();
        }
    }

    private Script choose(SeenRequest seen) {
        Script next = nextScripts.poll();
        if (next != null) {
            return next;
        }
        Script ruled = ruleFor(seen);
        return ruled == null ? usual : ruled;
    }

    private @Nullable Script ruleFor(SeenRequest seen) {
        for (Rule rule : rules) {
            if (rule.fits().test(seen)) {
                return rule.script();
            }
        }
        return null;
    }

    @Override
    public void data(BackendExchange exchange, ByteBuf data) {
        if (exchange.attachment() instanceof ScriptRun run) {
            run.body(ByteBufUtil.getBytes(data));
        }
    }

    @Override
    public void end(BackendExchange exchange, HttpHeaders trailers) {
        if (exchange.attachment() instanceof ScriptRun run) {
            counts.complete(run.place(), run.complete(SeenRequest.head(exchange), trailers));
            if (run.begins(false)) {
                run.run();
            }
        }
    }

    @Override
    public void gone(BackendExchange exchange) {
        if (exchange.attachment() instanceof ScriptRun run) {
            // The disconnect first: whoever waits for nothing to run finds it counted.
            counts.add(Count.DISCONNECTS, 1);
            run.abandon();
        }
    }
}
