package io.penstock.proxy.demo;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns a generation request into an answer or a refusal: injected failures, then the model, then the request itself (spec/routing
 * section 8.1). Only the server's event loop uses it.
 */
final class SimGenerate {

    private static final String RETURN_ERROR = "X-Return-Error";

    private final SimWorld world;

    SimGenerate(SimWorld world) {
        this.world = world;
    }

    void handle(BackendExchange exchange, byte[] body, boolean chat) {
        try {
            injected(exchange.request().headers().get(RETURN_ERROR));
            SimRequest request = SimRequest.parse(body);
            String model = request.model().isEmpty() ? world.options().servedName() : request.model();
            if (!world.options().servedNames().contains(model)) {
                throw new SimRefusal(404, "The model `" + model + "` does not exist.");
            }
            validate(request, chat);
            SimJob job = new SimJob(world, exchange, request, answer(request, model, chat, exchange.localPort()));
            exchange.attach(job);
            if (!world.engine().submit(job)) {
                throw new SimRefusal(429, "Failed to enqueue request, waiting requests queue is full");
            }
        } catch (SimRefusal refusal) {
            world.http().error(exchange, refusal.error());
        }
    }

    private void injected(@Nullable String wanted) throws SimRefusal {
        if (wanted != null) {
            throw new SimRefusal(status(wanted), "An error that " + RETURN_ERROR + " asked for.");
        }
        SimError failure = world.options().failures().next(world.random(), world.options().servedName());
        if (failure != null) {
            throw new SimRefusal(failure.status(), failure.message());
        }
    }

    private static int status(String wanted) throws SimRefusal {
        try {
            int status = Integer.parseInt(wanted.trim());
            if (status >= 400 && status <= 599) {
                return status;
            }
        } catch (NumberFormatException ignored) {
            // Said below, in the same words as for a number out of range.
        }
        throw new SimRefusal(400, RETURN_ERROR + ": " + wanted + " (expected: a status from 400 to 599)");
    }

    private void validate(SimRequest request, boolean chat) throws SimRefusal {
        if (chat && request.messages() == 0) {
            throw new SimRefusal(400, "messages: none (expected: one or more)");
        }
        if (!chat && !request.hasPrompt()) {
            throw new SimRefusal(400, "prompt: none (expected: a string or an array)");
        }
        if (request.hasStreamOptions() && !request.stream()) {
            throw new SimRefusal(400, "stream_options: given without a stream (expected: stream true, or no stream_options)");
        }
        Long max = request.maxTokens();
        if (max != null && max < 1) {
            throw new SimRefusal(400, "max_tokens: " + max + " (expected: 1 or more)");
        }
        if (request.minTokens() < 0 || max != null && request.minTokens() > max) {
            throw new SimRefusal(400, "min_tokens: " + request.minTokens() + " (expected: 0 up to max_tokens)");
        }
        long output = max == null ? 1 : max;
        long prompt = request.promptTokens();
        if (output > world.options().maxModelLen() - prompt) {
            long asked = max == null ? 0 : max;
            throw new SimRefusal(400, "This model's context length is at most " + world.options().maxModelLen() + " tokens, but "
                    + (prompt + asked) + " were requested: " + prompt + " in the prompt and " + asked + " in the output.");
        }
    }

    private SimAnswer answer(SimRequest request, String model, boolean chat, int port) {
        long room = (long) world.options().maxModelLen() - request.promptTokens();
        long limit = request.maxTokens() == null ? room : Math.min(room, request.maxTokens());
        List<String> tokens = tokens(request, (int) limit);
        String ownReason = tokens.size() >= limit && cut(request, tokens.size()) ? "length" : "stop";
        String reason = request.remoteDecode() ? "remote_decode" : ownReason;
        UUID uuid = new UUID(world.random().nextLong() & ~0xF000L | 0x4000L, world.random().nextLong() >>> 2 | Long.MIN_VALUE);
        String id = chat ? "chatcmpl-" + uuid : "cmpl-" + uuid + "-0";
        return new SimAnswer(chat, id, model, world.clock().seconds(), request.promptTokens(), tokens, reason,
                request.remoteDecode() ? transfer(request, uuid, port) : "");
    }

    private List<String> tokens(SimRequest request, int limit) {
        if (world.options().mode() == SimOptions.Mode.ECHO) {
            List<String> all = SimTokens.split(request.echo());
            return all.isEmpty() ? List.of(" ") : List.copyOf(all.subList(0, Math.min(limit, all.size())));
        }
        if (request.ignoreEos()) {
            int wanted = request.maxTokens() == null ? SimTokens.length(world.random()) : limit;
            return SimTokens.invent(world.random(), Math.min(limit, wanted));
        }
        int length = request.maxTokens() == null ? Math.min(limit, SimTokens.length(world.random())) : 1 + world.random().nextInt(limit);
        return SimTokens.invent(world.random(), (int) Math.max(length, Math.min(request.minTokens(), limit)));
    }

    /** Whether a limit ended the answer, and not its own end. */
    private boolean cut(SimRequest request, int length) {
        return world.options().mode() != SimOptions.Mode.ECHO || SimTokens.count(request.echo()) > length;
    }

    /** What the server that decodes needs to fetch the prompt's KV blocks from this one. */
    private String transfer(SimRequest request, UUID engine, int port) {
        int size = world.options().cache().blockTokens();
        StringBuilder blocks = new StringBuilder();
        for (int block = 0; block * size < request.promptTokens(); block++) {
            blocks.append(block == 0 ? "" : ",").append(block);
        }
        return "{\"do_remote_prefill\":true,\"do_remote_decode\":false,\"remote_engine_id\":\"" + engine + "\",\"remote_block_ids\":["
                + blocks + "],\"remote_host\":\"127.0.0.1\",\"remote_port\":" + port + ",\"tp_size\":1}";
    }
}
