package io.penstock.proxy.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayList;
import java.util.List;

/**
 * Flushes every channel that was written to once, at the end of the event loop's turn, instead of at each write. There is one per event
 * loop; only that loop's thread touches it.
 */
public final class LoopFlush implements Runnable {

    private static final FastThreadLocal<LoopFlush> CURRENT = new FastThreadLocal<>() {
        @Override
        protected LoopFlush initialValue() {
            return new LoopFlush();
        }
    };

    private final List<Channel> dirty = new ArrayList<>();
    private int flushed;
    private boolean scheduled;

    private LoopFlush() {
    }

    /** The calling event loop's own. */
    public static LoopFlush current() {
        return CURRENT.get();
    }

    /** Flushes the channel when this turn ends. The caller keeps it from being added twice in a turn only where that is cheap. */
    public void add(Channel channel) {
        EventLoop loop = channel.eventLoop();
        assert loop.inEventLoop() : "flush asked for from another thread";
        int size = dirty.size();
        if (size > flushed && dirty.get(size - 1) == channel) {
            return;
        }
        dirty.add(channel);
        if (!scheduled) {
            scheduled = true;
            loop.execute(this);
        }
    }

    @Override
    public void run() {
        scheduled = false;
        int end = dirty.size();
        // A flush can make a channel writable, and its listener may write more: what it adds is flushed by the next turn, not lost because
        // the channel is in the list already, and a fast reader cannot keep this loop here for ever. A test's channel may run that next
        // turn inside the flush, so the list can be shorter afterwards.
        while (flushed < Math.min(end, dirty.size())) {
            dirty.get(flushed++).flush();
        }
        dirty.subList(0, flushed).clear();
        flushed = 0;
    }
}
