package io.penstock.proxy.endpoint;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;

/** Builds the pipeline of a scraper's connection. The connection's event loop only. */
final class ScrapeInitializer extends ChannelInitializer<Channel> {

    private static final int MAX_STATUS_LINE = 1 << 10;
    private static final int MAX_HEADERS = 8 << 10;
    private static final int MAX_CHUNK = 64 << 10;

    private final Poller poller;

    ScrapeInitializer(Poller poller) {
        this.poller = poller;
    }

    @Override
    protected void initChannel(Channel channel) {
        HttpDecoderConfig limits = new HttpDecoderConfig().setMaxInitialLineLength(MAX_STATUS_LINE).setMaxHeaderSize(MAX_HEADERS)
                .setMaxChunkSize(MAX_CHUNK);
        channel.pipeline().addLast("http", new HttpClientCodec(limits, false, false));
        channel.pipeline().addLast("scrape", new ScrapeHandler(poller));
    }
}
