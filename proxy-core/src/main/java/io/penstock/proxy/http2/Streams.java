package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.REFUSED_STREAM;
import static io.netty.handler.codec.http2.Http2Error.STREAM_CLOSED;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;
import static io.netty.handler.codec.http2.Http2Exception.streamError;

import io.netty.handler.codec.http2.Http2Exception;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which streams a connection has, had, and may have (RFC 9113 section 5.1). Used on one event loop.
 */
final class Streams {

    private final StreamTable table = new StreamTable();
    private final RecentResets recent;
    private final boolean server;
    private final int maxPeerStreams;
    private final FrameBudget budget;
    private final Consumer<SessionStream> closed;
    /** The highest stream that the peer has begun, and the highest that was taken. */
    private int highestPeer;
    private int lastPeer;
    private int nextOwn;
    private int goAwayLimit = Integer.MAX_VALUE;
    private int receiveWindow = SessionOptions.DEFAULT_WINDOW;
    private int sendWindow = SessionOptions.DEFAULT_WINDOW;

    /** @param closed hears of each stream once, when it is in no state any more */
    Streams(boolean server, int maxPeerStreams, FrameBudget budget, Consumer<SessionStream> closed) {
        this.server = server;
        this.maxPeerStreams = maxPeerStreams;
        this.budget = budget;
        this.closed = closed;
        recent = new RecentResets(maxPeerStreams);
        nextOwn = server ? 2 : 1;
    }

    /** Windows of streams to come. */
    void windows(int send, int receive) {
        sendWindow = send;
        receiveWindow = receive;
    }

    int size() {
        return table.size();
    }

    List<SessionStream> all() {
        return table.all();
    }

    int lastPeer() {
        return lastPeer;
    }

    /** Streams of the peer above that are refused from now on. */
    void goAway(int lastStream) {
        goAwayLimit = lastStream;
    }

    /** The stream, if it is neither idle nor closed. */
    @Nullable SessionStream existing(int id) {
        SessionStream stream = table.get(id);
        return stream == null || stream.state == StreamState.IDLE ? null : stream;
    }

    private boolean ofPeer(int id) {
        return (id & 1) == (server ? 1 : 0);
    }

    /** Refuses a frame, other than HEADERS, on a stream that nobody has begun. */
    void checkNotIdle(int id, String frame) throws Http2Exception {
        SessionStream own = table.get(id);
        boolean idle = own != null ? own.state == StreamState.IDLE : ofPeer(id) ? id > highestPeer : id >= nextOwn;
        if (idle) {
            throw connectionError(PROTOCOL_ERROR, "%s on the idle stream %d", frame, id);
        }
    }

    /**
     * Whether the peer may have sent more on the closed stream before it knew of its end: we have reset or refused it. Of the streams that
     * we opened, every closed one counts: how many of those we reset before the peer reads the first reset, its other users decide, and
     * they must not cost the rest their connection.
     */
    boolean forgotten(int id) {
        return recent.contains(id) || (ofPeer(id) ? id > lastPeer && id <= highestPeer : begunHere(id) && table.get(id) == null);
    }

    private boolean begunHere(int id) {
        return id < nextOwn || nextOwn < 0;
    }

    /**
     * A stream for HEADERS on an id that no open stream has.
     *
     * @return null when the frame is to be dropped
     */
    @Nullable SessionStream accept(int id) throws Http2Exception {
        if (!ofPeer(id) || !server) {
            checkNotIdle(id, "HEADERS");
        }
        if (id > highestPeer && ofPeer(id)) {
            highestPeer = id;
            budget.streamOpened();
            return open(id);
        }
        if (forgotten(id)) {
            return null;
        }
        throw connectionError(STREAM_CLOSED, "HEADERS on the closed stream %d", id);
    }

    private SessionStream open(int id) throws Http2Exception {
        if (id > goAwayLimit) {
            throw streamError(id, REFUSED_STREAM, "stream %d after GOAWAY", id);
        }
        if (table.size() >= maxPeerStreams) {
            throw streamError(id, REFUSED_STREAM, "more than %d streams at once", maxPeerStreams);
        }
        lastPeer = id;
        SessionStream stream = new SessionStream(id, StreamState.OPEN, sendWindow, receiveWindow);
        list(stream);
        return stream;
    }

    private void list(SessionStream stream) {
        stream.listed = true;
        table.add(stream);
    }

    boolean idsLeft() {
        return nextOwn > 0;
    }

    /** A stream of ours, of which the peer does not know yet. */
    SessionStream own() {
        SessionStream stream = new SessionStream(nextOwn, StreamState.IDLE, sendWindow, receiveWindow);
        nextOwn += 2;
        stream.announced = true;
        budget.streamOpened();
        list(stream);
        return stream;
    }

    /** Remembers that a reset goes out for the stream. */
    void resetSent(int id) {
        recent.add(id);
    }

    /** The stream is over. A second call does nothing. */
    void close(SessionStream stream) {
        stream.state = StreamState.CLOSED;
        if (stream.listed) {
            stream.listed = false;
            table.remove(stream.id());
            closed.accept(stream);
        }
    }
}
