package io.penstock.proxy.codec;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.AsciiString;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the response parsers of one event loop share: the field names that backends send, each with what the parser does about it and the
 * values seen last, and the array that heads are read in. One event loop only.
 *
 * <p>A name or value that is found here costs no object, and its hash is known. Values are remembered for fields that many responses have
 * in common, never for cookies and the like.
 */
public final class HeadCache {

    /** What a field means to the parser. */
    enum Kind { REMEMBERED, PLAIN, HOP_BY_HOP, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING }

    /** Larger than the heads that engines send. */
    static final int SCRATCH_BYTES = 4 << 10;

    private static final int LONGEST_REMEMBERED = 64;
    private static final int SLOTS = 256;
    private static final List<String> REMEMBERED = List.of("server", "date", "cache-control", "x-accel-buffering", "vary",
            "access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers", "content-encoding",
            "openai-version", "openai-model", "content-language", "x-content-type-options", "strict-transport-security", "accept-ranges");
    private static final List<String> PLAIN = List.of("x-request-id", "etag", "last-modified", "location", "set-cookie", "expires", "age",
            "via", "retry-after", "www-authenticate", "openai-processing-ms", "x-process-time", "server-timing", "x-correlation-id", "link",
            "x-vllm-version");
    private static final List<AsciiString> HOP_BY_HOP = List.of(AsciiString.cached("keep-alive"), AsciiString.cached("proxy-connection"),
            HttpHeaderNames.UPGRADE, HttpHeaderNames.TRAILER, HttpHeaderNames.TE, AsciiString.cached("http2-settings"));

    final byte[] scratch = new byte[SCRATCH_BYTES];
    private final @Nullable Field[] slots = new Field[SLOTS];

    public HeadCache() {
        put(HttpHeaderNames.CONTENT_TYPE, Kind.REMEMBERED).remember("text/event-stream; charset=utf-8").remember("application/json");
        put(HttpHeaderNames.CONTENT_LENGTH, Kind.CONTENT_LENGTH);
        put(HttpHeaderNames.TRANSFER_ENCODING, Kind.TRANSFER_ENCODING);
        put(HttpHeaderNames.CONNECTION, Kind.CONNECTION);
        HOP_BY_HOP.forEach(name -> put(name, Kind.HOP_BY_HOP));
        REMEMBERED.forEach(name -> put(AsciiString.cached(name), Kind.REMEMBERED));
        PLAIN.forEach(name -> put(AsciiString.cached(name), Kind.PLAIN));
    }

    private Field put(AsciiString name, Kind kind) {
        Field field = new Field(name, kind);
        int slot = slot(name.array(), name.arrayOffset(), name.arrayOffset() + name.length());
        while (slots[slot] != null) {
            slot = slot + 1 & SLOTS - 1;
        }
        slots[slot] = field;
        return field;
    }

    /** The field of that name, in lower case, or null. */
    @Nullable Field find(byte[] bytes, int from, int to) {
        int slot = slot(bytes, from, to);
        for (Field field = slots[slot]; field != null; field = slots[slot]) {
            if (field.isNamed(bytes, from, to)) {
                return field;
            }
            slot = slot + 1 & SLOTS - 1;
        }
        return null;
    }

    private static int slot(byte[] bytes, int from, int to) {
        return (to - from) * 37 + bytes[from] * 5 + bytes[to - 1] * 11 + bytes[from + to >>> 1] & SLOTS - 1;
    }

    /** A text of its own for what stands there. */
    static AsciiString text(byte[] bytes, int from, int to) {
        return from == to ? AsciiString.EMPTY_STRING : new AsciiString(bytes, from, to - from, true);
    }

    /** One known name with its two latest values. */
    static final class Field {

        final AsciiString name;
        final Kind kind;
        private final byte[] nameBytes;
        private byte[] latest = new byte[0];
        private byte[] older = latest;
        private AsciiString latestText = AsciiString.EMPTY_STRING;
        private AsciiString olderText = AsciiString.EMPTY_STRING;

        Field(AsciiString name, Kind kind) {
            this.name = name;
            this.kind = kind;
            this.nameBytes = name.toByteArray();
        }

        Field remember(String value) {
            byte[] bytes = AsciiString.of(value).toByteArray();
            value(bytes, 0, bytes.length);
            return this;
        }

        boolean isNamed(byte[] bytes, int from, int to) {
            return Arrays.equals(nameBytes, 0, nameBytes.length, bytes, from, to);
        }

        AsciiString value(byte[] bytes, int from, int to) {
            if (Arrays.equals(latest, 0, latest.length, bytes, from, to)) {
                return latestText;
            }
            if (Arrays.equals(older, 0, older.length, bytes, from, to)) {
                return olderText;
            }
            if (kind == Kind.PLAIN || to - from > LONGEST_REMEMBERED) {
                return text(bytes, from, to);
            }
            older = latest;
            olderText = latestText;
            latest = Arrays.copyOfRange(bytes, from, to);
            latestText = new AsciiString(latest, false);
            return latestText;
        }
    }
}
