package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;

import io.netty.handler.codec.http2.Http2Exception;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kinds of HTTP/2 misuse that end a connection with GOAWAY(ENHANCE_YOUR_CALM); the names are metric labels. */
public enum Abuse {
    PING_FLOOD,
    SETTINGS_FLOOD,
    PRIORITY_FLOOD,
    WINDOW_UPDATE_FLOOD,
    UNKNOWN_FRAME_FLOOD,
    EMPTY_DATA_FLOOD,
    TINY_DATA_FLOOD,
    /** Too many requests given up right after they were opened, or too many resets at all. */
    RAPID_RESET,
    /** Too many stream errors provoked. */
    STREAM_ERROR_FLOOD,
    /** The client does not read what its own frames make us answer. */
    CONTROL_QUEUE_FULL;

    /** The connection error that ends the connection. */
    public Http2Exception error() {
        return new AbuseException(this);
    }

    /** Which abuse the exception stands for, or null. */
    public static @Nullable Abuse of(@Nullable Throwable error) {
        return error instanceof AbuseException abuse ? abuse.kind : null;
    }

    private static final class AbuseException extends Http2Exception {
        private static final long serialVersionUID = 1;
        private final Abuse kind;

        AbuseException(Abuse kind) {
            super(ENHANCE_YOUR_CALM, kind.name().toLowerCase(Locale.ROOT).replace('_', ' '), ShutdownHint.NO_SHUTDOWN);
            this.kind = kind;
        }
    }
}
