package io.penstock.proxy.endpoint;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/** Builds the pipeline of a scraper's connection; requests go out as they are. The connection's event loop only. */
final class ScrapeInitializer extends ChannelInitializer<Channel> {

    private static final int MAX_STATUS_LINE = 1 << 10;
    private static final int MAX_HEADERS = 8 << 10;
    private static final int MAX_CHUNK = 64 << 10;

    private final Poller poller;
    private final ScrapeTarget target;
    private final @Nullable SslContext tls;
    private final long handshakeMillis;

    ScrapeInitializer(Poller poller, ScrapeTarget target, @Nullable SslContext tls, long handshakeMillis) {
        this.poller = poller;
        this.target = target;
        this.tls = tls;
        this.handshakeMillis = handshakeMillis;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (tls != null) {
            SslHandler handler = tls.newHandler(channel.alloc(), target.host(), target.address().getPort());
            handler.setHandshakeTimeoutMillis(handshakeMillis);
            channel.pipeline().addLast("tls", handler);
        }
        HttpDecoderConfig limits = new HttpDecoderConfig().setMaxInitialLineLength(MAX_STATUS_LINE).setMaxHeaderSize(MAX_HEADERS)
                .setMaxChunkSize(MAX_CHUNK);
        channel.pipeline().addLast("http", new HttpResponseDecoder(limits));
        channel.pipeline().addLast("scrape", new ScrapeHandler(poller));
    }
}
