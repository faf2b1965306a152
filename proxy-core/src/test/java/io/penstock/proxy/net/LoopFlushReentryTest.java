package io.penstock.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

final class LoopFlushReentryTest {

    /** As a stream does that goes on when its channel becomes writable in the middle of a flush. */
    private static final class WritesMoreWhileFlushed extends ChannelOutboundHandlerAdapter {
        private int more = 3;

        @Override
        public void flush(ChannelHandlerContext ctx) {
            ctx.flush();
            if (more > 0) {
                ctx.write("more " + more--);
                LoopFlush.current().add(ctx.channel());
            }
        }
    }

    @Test
    void whatIsWrittenDuringAFlushIsFlushedToo() {
        EmbeddedChannel channel = new EmbeddedChannel(new WritesMoreWhileFlushed());
        channel.write("first");
        LoopFlush.current().add(channel);
        channel.runPendingTasks();

        assertThat(channel.outboundMessages()).containsExactly("first", "more 3", "more 2", "more 1");
        channel.finishAndReleaseAll();
    }
}
