package io.penstock.proxy.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A simulated server's paths (spec/routing section 8.1). Only its event loop calls it, but for {@link #engine()}. */
final class SimApp implements BackendApp {

    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    /** How long a client may go on sending a body that was refused, so that it can read why. */
    private static final long LINGER_SECONDS = 2;

    private final SimWorld world;
    private final SimGenerate generate;
    private final long readyAt;

    /** A body in the making. */
    private static final class Body {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean refused;
    }

    SimApp(SimWorld world) {
        this.world = world;
        generate = new SimGenerate(world);
        readyAt = world.clock().nanoTime() + world.options().startup().toNanos();
    }

    SimEngine engine() {
        return world.engine();
    }

    void fake(@Nullable FakeMetrics values) {
        world.metrics().fake(values);
    }

    @Override
    public void head(BackendExchange exchange) {
        Body body = new Body();
        exchange.attach(body);
        if (HttpUtil.getContentLength(exchange.request(), 0L) > world.options().maxRequestBodyBytes()) {
            refuse(exchange, body);
        } else if (HttpUtil.is100ContinueExpected(exchange.request())) {
            exchange.write(Unpooled.wrappedBuffer(CONTINUE));
        }
    }

    @Override
    public void data(BackendExchange exchange, ByteBuf data) {
        if (!(exchange.attachment() instanceof Body body) || body.refused) {
            return;
        }
        if (body.bytes.size() + data.readableBytes() > world.options().maxRequestBodyBytes()) {
            refuse(exchange, body);
            return;
        }
        try {
            data.readBytes(body.bytes, data.readableBytes());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private void refuse(BackendExchange exchange, Body body) {
        body.refused = true;
        world.http().refuse(exchange, new SimError(413, "The request body is larger than " + world.options().maxRequestBodyBytes()
                + " bytes."));
        world.clock().at(world.clock().nanoTime() + TimeUnit.SECONDS.toNanos(LINGER_SECONDS), () -> {
            if (!exchange.over()) {
                exchange.finishAndClose();
            }
        });
    }

    @Override
    public void end(BackendExchange exchange, HttpHeaders trailers) {
        if (!(exchange.attachment() instanceof Body body)) {
            return;
        }
        if (body.refused) {
            exchange.finishAndClose();
            return;
        }
        HttpMethod method = exchange.request().method();
        switch (exchange.path()) {
            case "/v1/chat/completions" -> post(exchange, body, true);
            case "/v1/completions" -> post(exchange, body, false);
            case "/health", "/ping" -> get(exchange, method, 200, SimHttp.JSON, "");
            case "/health/ready" -> get(exchange, method, world.clock().nanoTime() - readyAt >= 0 ? 200 : 503, SimHttp.JSON, "");
            case "/v1/models" -> get(exchange, method, 200, SimHttp.JSON, models());
            case "/metrics" -> get(exchange, method, 200, SimHttp.METRICS, world.metrics().page());
            case "/is_sleeping" -> get(exchange, method, 200, SimHttp.JSON, "{\"is_sleeping\":false}");
            default -> world.http().whole(exchange, 404, SimHttp.JSON, "{\"detail\":\"Not Found\"}");
        }
    }

    private void get(BackendExchange exchange, HttpMethod method, int status, String type, String body) {
        if (!method.equals(HttpMethod.GET)) {
            notAllowed(exchange);
            return;
        }
        world.http().whole(exchange, status, type, body);
    }

    private void post(BackendExchange exchange, Body body, boolean chat) {
        if (!exchange.request().method().equals(HttpMethod.POST)) {
            notAllowed(exchange);
            return;
        }
        generate.handle(exchange, body.bytes.toByteArray(), chat);
    }

    private void notAllowed(BackendExchange exchange) {
        world.http().whole(exchange, 405, SimHttp.JSON, "{\"detail\":\"Method Not Allowed\"}");
    }

    private String models() {
        StringBuilder out = new StringBuilder("{\"object\":\"list\",\"data\":[");
        String comma = "";
        for (String name : world.options().servedNames()) {
            out.append(comma).append("{\"id\":").append(SimJson.quote(name)).append(",\"object\":\"model\",\"created\":")
                    .append(world.clock().seconds()).append(",\"owned_by\":\"vllm\",\"root\":")
                    .append(SimJson.quote(world.options().model())).append(",\"parent\":null,\"max_model_len\":")
                    .append(world.options().maxModelLen()).append('}');
            comma = ",";
        }
        return out.append("]}").toString();
    }

    @Override
    public void gone(BackendExchange exchange) {
        if (exchange.attachment() instanceof SimJob job) {
            job.abandon();
        }
    }

    @Override
    public void writable(BackendExchange exchange) {
        if (exchange.attachment() instanceof SimJob job) {
            job.resume();
        }
    }
}
