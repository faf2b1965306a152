package io.penstock.bench.headroom;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** One connection from the proxy to a simulated endpoint; it carries one request at a time. One event loop. */
final class SimExchange extends ChannelInboundHandlerAdapter {

    private static final ByteBuf BODY = Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("{\"id\":\"cmpl-1\",\"object\":"
            + "\"text_completion\",\"model\":\"sim\",\"choices\":[{\"index\":0,\"text\":\"A pipe that brings water to a turbine.\","
            + "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":16,\"total_tokens\":26}}",
            StandardCharsets.US_ASCII)).asReadOnly();

    /** What the proxy's scraper looks for; it costs no slot. */
    private static final ByteBuf METRICS = Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("""
            # TYPE vllm:num_requests_running gauge
            vllm:num_requests_running{model_name="sim"} 0
            # TYPE vllm:num_requests_waiting gauge
            vllm:num_requests_waiting{model_name="sim"} 0
            # TYPE vllm:kv_cache_usage_perc gauge
            vllm:kv_cache_usage_perc{model_name="sim"} 0
            """, StandardCharsets.US_ASCII)).asReadOnly();

    private final SimEndpoint endpoint;
    private boolean scrape;
    private @Nullable ChannelHandlerContext context;
    private @Nullable FullHttpResponse response;
    /** Ends the service. */
    @Nullable Future<?> job;

    SimExchange(SimEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpRequest head) {
            scrape = HttpMethod.GET.equals(head.method());
        }
        if (message instanceof LastHttpContent) {
            if (scrape) {
                ctx.writeAndFlush(whole(METRICS, "text/plain; version=0.0.4"), ctx.voidPromise());
            } else {
                arrived();
            }
        }
        ReferenceCountUtil.release(message);
    }

    private void arrived() {
        FullHttpResponse next = whole(BODY, "application/json");
        endpoint.pool().atDispatch().accept(next.headers());
        response = next;
        endpoint.arrived(this);
    }

    private static FullHttpResponse whole(ByteBuf body, String type) {
        FullHttpResponse message = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body.duplicate());
        message.headers().set(HttpHeaderNames.CONTENT_TYPE, type).setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        return message;
    }

    void answer() {
        ChannelHandlerContext ctx = context;
        FullHttpResponse ready = response;
        response = null;
        if (ctx != null && ready != null) {
            ctx.writeAndFlush(ready, ctx.voidPromise());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        response = null;
        endpoint.abandoned(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
