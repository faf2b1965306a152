package io.penstock.bench;

import com.sun.management.ThreadMXBean;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.penstock.proxy.endpoint.Endpoint;
import io.penstock.proxy.endpoint.EndpointPool;
import io.penstock.proxy.endpoint.EndpointSpec;
import io.penstock.proxy.endpoint.MetricsScraper;
import io.penstock.proxy.endpoint.ScrapeEvents;
import io.penstock.proxy.endpoint.ScrapeSettings;
import io.penstock.proxy.net.Transport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What scraping costs: CPU and bytes allocated of the scraper's one thread, with real sockets on loopback and a server on threads of its
 * own that answers every request with the same page. Arguments: the page's file, endpoints (200), interval in ms (50), seconds (20).
 * The goal is 10 % of one core for 200 endpoints at 50 ms.
 */
public final class ScrapeLoad {

    private static final int WARM_UP_SECONDS = 15;

    private ScrapeLoad() {
    }

    /** Runs it and prints one line. */
    public static void main(String[] args) throws IOException, InterruptedException {
        byte[] page = Files.readAllBytes(Path.of(args[0]));
        int endpoints = args.length > 1 ? Integer.parseInt(args[1]) : 200;
        int intervalMillis = args.length > 2 ? Integer.parseInt(args[2]) : 50;
        int seconds = args.length > 3 ? Integer.parseInt(args[3]) : 20;
        Transport transport = Transport.detect(false);
        EventLoopGroup servers = transport.newGroup(1, "page-server");
        Channel listening = serve(transport, servers, page);
        Counting counting = new Counting();
        EndpointPool pool = new EndpointPool(System::nanoTime);
        ScrapeSettings settings = ScrapeSettings.every(Duration.ofMillis(intervalMillis));
        try (MetricsScraper scraper = new MetricsScraper(transport, settings, System::nanoTime, () -> { }, counting)) {
            pool.listen(scraper);
            pool.replace(specs(endpoints, ((InetSocketAddress) listening.localAddress()).getPort()));
            pause(WARM_UP_SECONDS);
            report(page.length, endpoints, seconds, counting);
        } finally {
            servers.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    private static void report(int bytes, int endpoints, int seconds, Counting counting) throws InterruptedException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long scraper = thread();
        long begun = System.nanoTime();
        long cpu = threads.getThreadCpuTime(scraper);
        long allocated = threads.getThreadAllocatedBytes(scraper);
        long scrapes = counting.sampled;
        long failed = counting.failed;
        pause(seconds);
        double elapsed = (System.nanoTime() - begun) / 1e9;
        double used = (threads.getThreadCpuTime(scraper) - cpu) / 1e9;
        long done = counting.sampled - scrapes;
        System.out.printf("%d endpoints, page of %d bytes: %.0f scrapes/s, %d failed %s, %.1f %% of one core, %.1f us CPU"
                + " and %d bytes allocated a scrape%n", endpoints, bytes, done / elapsed, counting.failed - failed, counting.reasons,
                100 * used / elapsed, 1e6 * used / done, (threads.getThreadAllocatedBytes(scraper) - allocated) / done);
    }

    private static long thread() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("penstock-scraper"))
                .findAny().orElseThrow().getId();
    }

    private static void pause(int seconds) throws InterruptedException {
        boolean interrupted = new CountDownLatch(1).await(seconds, TimeUnit.SECONDS);
        if (interrupted) {
            throw new IllegalStateException("nobody counts it down");
        }
    }

    private static List<EndpointSpec> specs(int count, int port) {
        List<EndpointSpec> specs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            specs.add(EndpointSpec.of("e" + i, "127.0.0.1", port, Map.of()));
        }
        return specs;
    }

    private static Channel serve(Transport transport, EventLoopGroup group, byte[] page) {
        byte[] head = ("HTTP/1.1 200 OK\r\ndate: Mon, 30 Nov 2026 12:00:00 GMT\r\nserver: uvicorn\r\ncontent-length: " + page.length
                + "\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        ByteBuf answer = Unpooled.directBuffer().writeBytes(head).writeBytes(page);
        return new ServerBootstrap().group(group).channel(transport.server()).childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>(ByteBuf.class) {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf request) {
                        // A request is one small write, so it comes in one piece.
                        context.writeAndFlush(answer.retainedDuplicate());
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                        context.close();
                    }
                });
            }
        }).bind(InetAddress.getLoopbackAddress(), 0).syncUninterruptibly().channel();
    }

    /** Written by the scraper's thread alone. */
    private static final class Counting implements ScrapeEvents {
        private volatile long sampled;
        private volatile long failed;
        private final Map<String, Integer> reasons = new ConcurrentHashMap<>();

        @Override
        public void sampled(Endpoint endpoint, long nanos) {
            sampled = sampled + 1;
        }

        @Override
        public void pollFailed(Endpoint endpoint, String reason) {
            failed = failed + 1;
            reasons.merge(reason, 1, Integer::sum);
        }
    }
}
