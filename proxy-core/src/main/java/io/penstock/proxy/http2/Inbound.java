package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.STREAM_CLOSED;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;
import static io.netty.handler.codec.http2.Http2Exception.streamError;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.function.LongSupplier;

/**
 * What the peer's frames mean: charges each to the budgets of spec/edge section 3, holds it against its stream's state, and tells the
 * owner. Frames for streams that we reset or refused before the peer could know are dropped. Used on one event loop.
 */
final class Inbound implements FrameSink {

    private final boolean server;
    private final SessionCore core;
    private final Streams streams;
    private final SessionListener listener;
    private final FrameBudget budget;
    private final ResetBudget resets;
    private final LongSupplier clock;

    Inbound(SessionCore core) {
        this.core = core;
        server = core.server;
        streams = core.streams;
        listener = core.listener;
        budget = core.budget;
        resets = core.resets;
        clock = core.options.clock();
    }

    // --- messages ---

    @Override
    public void headers(int id, Http2Headers headers, boolean last) throws Http2Exception {
        SessionStream stream = streams.existing(id);
        if (stream == null) {
            stream = streams.accept(id);
            if (stream == null) {
                return;
            }
            MessageRules.checkRequest(id, headers);
            head(stream, headers, last);
            return;
        }
        if (stream.remoteEnded()) {
            throw streamError(id, STREAM_CLOSED, "HEADERS after END_STREAM on stream %d", id);
        }
        if (stream.headReceived) {
            trailers(stream, headers, last);
            return;
        }
        MessageRules.checkResponse(id, headers);
        if (!MessageRules.informational(headers)) {
            head(stream, headers, last);
        } else if (last) {
            throw streamError(id, PROTOCOL_ERROR, "informational response that ends stream %d", id);
        } else {
            listener.onHead(stream, headers, false);
        }
    }

    private void head(SessionStream stream, Http2Headers head, boolean last) throws Http2Exception {
        stream.bodyExpected = MessageRules.contentLength(stream.id(), head);
        MessageRules.countBody(stream, 0, last, server);
        stream.headReceived = true;
        stream.announced = true;
        if (last) {
            stream.state = stream.state.endRemote();
        }
        listener.onHead(stream, head, last);
        settle(stream);
    }

    private void trailers(SessionStream stream, Http2Headers trailers, boolean last) throws Http2Exception {
        if (!last) {
            throw streamError(stream.id(), PROTOCOL_ERROR, "trailers that do not end stream %d", stream.id());
        }
        MessageRules.checkTrailers(stream.id(), trailers);
        MessageRules.countBody(stream, 0, true, server);
        stream.state = stream.state.endRemote();
        listener.onTrailers(stream, trailers);
        settle(stream);
    }

    /** Both halves may have ended: ours before, theirs with the frame that the owner has just been told of. */
    private void settle(SessionStream stream) {
        if (stream.closed()) {
            streams.close(stream);
        }
    }

    @Override
    public void unusableHeaders(int id, boolean last, Http2Exception.StreamException why) throws Http2Exception {
        SessionStream stream = streams.existing(id);
        boolean first = stream == null;
        if (first) {
            stream = streams.accept(id);
            if (stream == null) {
                return;
            }
        }
        if (why instanceof Http2Exception.HeaderListSizeException && !stream.remoteEnded()) {
            stream.announced = true;
            stream.headReceived = true;
            if (last) {
                stream.state = stream.state.endRemote();
            }
            if (listener.onOversizeHeaders(stream)) {
                settle(stream);
                return;
            }
        }
        throw why;
    }

    @Override
    public void data(int id, ByteBuf in, int length, int padding, boolean last) throws Http2Exception {
        if (server) {
            // A backend's event stream is small frames by nature, and a backend is no stranger.
            budget.data(length, last, clock);
        }
        core.receiveFlow.received(length + padding);
        SessionStream stream = streams.existing(id);
        if (stream == null) {
            if (streams.forgotten(id)) {
                return;
            }
            streams.checkNotIdle(id, "DATA");
            throw streamError(id, STREAM_CLOSED, "DATA on the closed stream %d", id);
        }
        if (stream.remoteEnded()) {
            throw streamError(id, STREAM_CLOSED, "DATA after END_STREAM on stream %d", id);
        }
        if (!stream.headReceived) {
            throw streamError(id, PROTOCOL_ERROR, "DATA before the head of stream %d", id);
        }
        core.receiveFlow.received(stream, length + padding);
        MessageRules.countBody(stream, length, last, server);
        if (last) {
            stream.state = stream.state.endRemote();
        }
        core.receiveFlow.consumed(stream, padding);
        if (length > 0 || last) {
            listener.onData(stream, length == 0 ? Unpooled.EMPTY_BUFFER : in.readRetainedSlice(length), last);
        }
        settle(stream);
    }

    @Override
    public void reset(int id, long code) throws Http2Exception {
        if (server) {
            resets.resetFrame(clock.getAsLong());
        } else {
            budget.resetByServer();
        }
        SessionStream stream = streams.existing(id);
        if (stream == null) {
            ignored(id, "RST_STREAM");
            return;
        }
        try {
            listener.onReset(stream, code);
        } finally {
            streams.close(stream);
        }
    }

    /** A frame on a stream that was there once is late and no error. */
    private void ignored(int id, String frame) throws Http2Exception {
        if (!streams.forgotten(id)) {
            streams.checkNotIdle(id, frame);
        }
    }

    // --- the connection ---

    @Override
    public void priority() throws Http2Exception {
        budget.priority();
    }

    @Override
    public void settings(ByteBuf in, int entries) throws Http2Exception {
        budget.settingsEntries(entries);
        core.peer.read(in, entries);
        budget.settings(clock.getAsLong());
        core.applySettings();
    }

    @Override
    public void settingsAck() throws Http2Exception {
        budget.unknown(clock.getAsLong());
        resets.limitKnown();
    }

    @Override
    public void ping(long data) throws Http2Exception {
        budget.ping(clock.getAsLong());
        core.writer.pingAck(data);
    }

    @Override
    public void pingAck(long data) throws Http2Exception {
        budget.unknown(clock.getAsLong());
        listener.onPingAck(data);
    }

    @Override
    public void goAway(int lastStreamId, long code) throws Http2Exception {
        budget.unknown(clock.getAsLong());
        core.goAwayReceived(lastStreamId);
        for (SessionStream stream : streams.all()) {
            if (!server && stream.id() > lastStreamId) {
                try {
                    listener.onReset(stream, Http2Error.REFUSED_STREAM.code());
                } finally {
                    streams.close(stream);
                }
            }
        }
        listener.onGoAway(lastStreamId, code);
    }

    @Override
    public void windowUpdate(int id, int increment) throws Http2Exception {
        if (id == 0) {
            if (increment == 0) {
                throw connectionError(PROTOCOL_ERROR, "WINDOW_UPDATE of 0 for the connection");
            }
            budget.windowUpdate();
            core.sendFlow.windowUpdate(increment);
            return;
        }
        budget.windowUpdate();
        SessionStream stream = streams.existing(id);
        if (stream == null) {
            ignored(id, "WINDOW_UPDATE");
        } else if (increment == 0) {
            throw streamError(id, PROTOCOL_ERROR, "WINDOW_UPDATE of 0 for stream %d", id);
        } else {
            core.sendFlow.windowUpdate(stream, increment);
        }
    }

    @Override
    public void unknown() throws Http2Exception {
        budget.unknown(clock.getAsLong());
    }
}
