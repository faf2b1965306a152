package io.penstock.proxy.http2;

import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2LifecycleManager;
import io.netty.handler.codec.http2.Http2PromisedRequestVerifier;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;
import io.netty.util.AsciiString;
import io.penstock.proxy.request.HeaderNames;
import java.util.function.LongSupplier;

/**
 * The parts of one server-side HTTP/2 connection, put together with the bounds of spec/edge section 3. Netty's own reset limits are not
 * used: they end honest connections whose users press Stop. Used on one event loop.
 */
public final class HardenedHttp2 {

    /** HEADERS and CONTINUATION frames under 8 KiB in one block. Netty takes 0 for "none at all". */
    private static final int SMALL_CONTINUATIONS = 16;
    private static final float REFILL_AT = 0.5f;

    private final Http2Connection connection = new DefaultHttp2Connection(true);
    private final FrameBudget budget;
    private final ResetBudget resets;
    private final FrameWalker walker;
    private final GuardedFrameReader reader;
    private final GuardedFrameWriter writer;
    private final Http2ConnectionEncoder encoder;
    private final Http2ConnectionDecoder decoder;
    private final LongSupplier clock;

    /**
     * @param maxStreams requests at once, enforced before the peer has seen SETTINGS
     * @param maxHeaderBytes a header list's bytes, counted as RFC 9113 section 6.5.2 does
     * @param maxHeaders a header list's fields, cookie crumbs included, pseudo headers not
     * @param observer hears of written response bytes
     * @param clock nanoseconds
     */
    public HardenedHttp2(int maxStreams, int maxHeaderBytes, int maxHeaders, DataObserver observer, LongSupplier clock) {
        this.clock = clock;
        long now = clock.getAsLong();
        budget = new FrameBudget(now);
        resets = new ResetBudget(now);
        RecentResets recent = new RecentResets();
        connection.remote().maxActiveStreams(maxStreams);
        connection.local().flowController(new DefaultHttp2LocalFlowController(connection, REFILL_AT, true));
        connection.remote().flowController(
                new DefaultHttp2RemoteFlowController(connection, new UniformStreamByteDistributor(connection)));
        walker = new FrameWalker(budget);
        reader = new GuardedFrameReader(
                new DefaultHttp2FrameReader(new CappedHeadersDecoder(maxHeaderBytes, maxHeaders), SMALL_CONTINUATIONS),
                walker, listener -> new FrameGuard(listener, connection, budget, resets, recent, clock));
        writer = new GuardedFrameWriter(new DefaultHttp2FrameWriter(HardenedHttp2::neverIndexed), budget, recent, observer);
        encoder = new DefaultHttp2ConnectionEncoder(connection, writer);
        decoder = new DefaultHttp2ConnectionDecoder(connection, encoder, reader, Http2PromisedRequestVerifier.ALWAYS_VERIFY, true, true,
                true, true);
    }

    /** A value that no second response has would only push others out of HPACK's table (RFC 7541 section 6.2.3). */
    private static boolean neverIndexed(CharSequence name, CharSequence value) {
        return AsciiString.contentEquals(HeaderNames.REQUEST_ID, name);
    }

    public Http2ConnectionEncoder encoder() {
        return encoder;
    }

    public Http2ConnectionDecoder decoder() {
        return decoder;
    }

    /** What our first SETTINGS frame says. */
    public Http2Settings settings() {
        return new Http2Settings().maxConcurrentStreams(connection.remote().maxActiveStreams())
                .maxHeaderListSize(reader.configuration().headersConfiguration().maxHeaderListSize());
    }

    /** Whom the writer tells when the peer does not read its control frames' answers. */
    public void lifecycle(Http2LifecycleManager manager) {
        writer.lifecycle(manager);
    }

    /** The peer reset a request that was not answered yet and that old. */
    public void requestReset(long ageNanos) throws Http2Exception {
        resets.requestReset(ageNanos, budget.opened());
    }

    /** We end a stream for the peer's fault; false when that was once too often. */
    public boolean streamError(Http2Error error) {
        return resets.streamError(error, clock.getAsLong());
    }

    /** Whether a header block has begun and not ended. */
    public boolean blockBegun() {
        return walker.blockBegun();
    }
}
