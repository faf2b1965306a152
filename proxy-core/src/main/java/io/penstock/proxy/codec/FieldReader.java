package io.penstock.proxy.codec;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.proxy.http2.FlatHeaders;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the field lines of one head, or of trailers, into HTTP/2 form: checked, in lower case, without what belongs to the connection
 * (RFC 9112 sections 5 and 6, RFC 9110 sections 5.5 and 7.6.1). One event loop only.
 */
final class FieldReader {

    /** Instead of an index: the line goes on in the next bytes. */
    static final int MORE = -1;

    private static final long NO_LENGTH = -1;
    private static final int SIZE_HINT = 16;
    private static final byte[] NAME_BYTES = LineBytes.lowerCaseTokens();
    private static final boolean[] VALUE_BYTES = LineBytes.fieldValues();

    private final HeadCache cache;

    private Http2Headers headers = new FlatHeaders(2);
    private int fields;
    private int bytes;
    private boolean complete;
    private boolean trailers;
    private boolean dropLength;
    private long contentLength;
    private int lengths;
    private int lengthDigits;
    private boolean chunked;
    private boolean close;
    private @Nullable List<AsciiString> listed;

    FieldReader(HeadCache cache) {
        this.cache = cache;
    }

    // -- one head

    /** Begins a head, after its status line. */
    void begin(Http2Headers into, boolean withoutLength) {
        begin(into);
        bytes = 0;
        trailers = false;
        dropLength = withoutLength;
        contentLength = NO_LENGTH;
        lengths = 0;
        chunked = false;
        close = false;
    }

    /** Begins the trailers of the head that was read last; the limit on bytes goes on. */
    void beginTrailers() {
        begin(new FlatHeaders(2));
        trailers = true;
    }

    private void begin(Http2Headers into) {
        headers = into;
        fields = 0;
        complete = false;
        listed = null;
    }

    static Http2Headers newHead(CharSequence status) {
        return new FlatHeaders(SIZE_HINT).status(status);
    }

    boolean complete() {
        return complete;
    }

    /** The head, once complete. */
    Http2Headers headers() {
        return headers;
    }

    /** Bytes that further lines may have, their ends not counted. */
    int bytesLeft() {
        return ResponseParser.MAX_HEADER_BYTES - bytes;
    }

    /** The declared length, or a negative number. */
    long contentLength() {
        return contentLength;
    }

    boolean chunked() {
        return chunked;
    }

    boolean severalLengths() {
        return lengths > 1;
    }

    /** Whether the backend will close. */
    boolean close() {
        return close;
    }

    // -- lines

    /** Reads the line at {@code at}, changing its name to lower case on the spot; the index behind it, or {@link #MORE}. */
    int line(byte[] in, int at, int end) {
        int i = at;
        byte lower = 0;
        while (i < end && (lower = NAME_BYTES[in[i] & 0xff]) != 0) {
            in[i++] = lower;
        }
        if (i == end) {
            return MORE;
        }
        if (i == at) {
            return emptyLine(in, at, end);
        }
        if (in[i] != ':') {
            throw new MalformedResponse("field name (expected: a token and a colon)");
        }
        int from = i + 1;
        while (from < end && LineBytes.isBlank(in[from])) {
            from++;
        }
        int to = from;
        while (to < end && VALUE_BYTES[in[to] & 0xff]) {
            to++;
        }
        int next = LineBytes.afterLineEnd(in, to, end, "control character in a field's value");
        if (next != MORE) {
            account(to - at);
            while (to > from && LineBytes.isBlank(in[to - 1])) {
                to--;
            }
            field(in, at, i, from, to);
        }
        return next;
    }

    private int emptyLine(byte[] in, int at, int end) {
        if (LineBytes.isBlank(in[at])) {
            throw new MalformedResponse(fields == 0 ? "white space before the first field" : "folded line");
        }
        int next = LineBytes.afterLineEnd(in, at, end, "field name (expected: a token and a colon)");
        if (next != MORE) {
            complete = true;
            finish();
        }
        return next;
    }

    private void account(int lineBytes) {
        bytes += lineBytes;
        if (bytes > ResponseParser.MAX_HEADER_BYTES) {
            throw new MalformedResponse("header bytes (expected: at most " + ResponseParser.MAX_HEADER_BYTES + ')');
        }
        if (++fields > ResponseParser.MAX_HEADERS) {
            throw new MalformedResponse("header fields (expected: at most " + ResponseParser.MAX_HEADERS + ')');
        }
    }

    // -- fields

    private void field(byte[] in, int at, int colon, int from, int to) {
        HeadCache.Field known = cache.find(in, at, colon);
        if (known == null) {
            headers.add(HeadCache.text(in, at, colon), HeadCache.text(in, from, to));
            return;
        }
        switch (known.kind) {
            case REMEMBERED, PLAIN -> headers.add(known.name, known.value(in, from, to));
            case CONTENT_LENGTH -> contentLength(known, in, from, to);
            case TRANSFER_ENCODING -> transferEncoding(in, from, to);
            case CONNECTION -> connection(in, from, to);
            default -> { }
        }
    }

    /** A list of equal numbers is one number, also over several fields (RFC 9110 section 8.6). */
    private void contentLength(HeadCache.Field known, byte[] in, int from, int to) {
        if (trailers) {
            return;
        }
        for (int start = from; start <= to;) {
            int comma = LineBytes.indexOf(in, start, to, ',');
            int first = LineBytes.skipBlanks(in, start, comma);
            int last = LineBytes.trimBlanks(in, first, comma);
            long length = number(in, first, last);
            if (lengths > 0 && (length != contentLength || last - first != lengthDigits)) {
                throw new MalformedResponse("content-length: several that differ");
            }
            if (lengths++ == 0) {
                contentLength = length;
                lengthDigits = last - first;
                if (!dropLength) {
                    headers.add(known.name, known.value(in, first, last));
                }
            }
            start = comma + 1;
        }
    }

    private static long number(byte[] in, int from, int to) {
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = in[i] - '0';
            if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
                throw new MalformedResponse("content-length (expected: digits, at most 2^63 - 1)");
            }
            value = value * 10 + digit;
        }
        if (from == to) {
            throw new MalformedResponse("content-length: empty");
        }
        return value;
    }

    /** The field does not cross the proxy, so a body with another coding would arrive undeclared. */
    private void transferEncoding(byte[] in, int from, int to) {
        if (trailers) {
            return;
        }
        if (chunked || !LineBytes.equalsIgnoreCase(in, from, to, "chunked")) {
            throw new MalformedResponse("transfer-encoding (expected: chunked alone)");
        }
        chunked = true;
    }

    private void connection(byte[] in, int from, int to) {
        for (int start = from; start <= to;) {
            int comma = LineBytes.indexOf(in, start, to, ',');
            int first = LineBytes.skipBlanks(in, start, comma);
            int last = LineBytes.trimBlanks(in, first, comma);
            if (LineBytes.equalsIgnoreCase(in, first, last, "close")) {
                close = true;
            }
            if (!LineBytes.equalsIgnoreCase(in, first, last, "keep-alive") && last > first) {
                list(HeadCache.text(in, first, last).toLowerCase());
            }
            start = comma + 1;
        }
    }

    private void list(AsciiString name) {
        if (listed == null) {
            listed = new ArrayList<>(2);
        }
        listed.add(name);
    }

    private void finish() {
        if (chunked && contentLength >= 0) {
            throw new MalformedResponse("content-length beside transfer-encoding");
        }
        if (listed != null) {
            for (AsciiString name : listed) {
                // A listed ":status" is no field's name.
                if (name.byteAt(0) != ':') {
                    headers.remove(name);
                }
            }
        }
    }
}
