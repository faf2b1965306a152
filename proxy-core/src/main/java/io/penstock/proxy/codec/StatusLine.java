package io.penstock.proxy.codec;

/** Reads a status line: version, one space, three digits and, after another space, a reason that is dropped (RFC 9112 section 4). */
final class StatusLine {

    private static final boolean[] REASON_BYTES = LineBytes.fieldValues();
    private static final String VERSION = "HTTP/1.";
    private static final int MINOR_AT = 7;
    private static final int STATUS_AT = 9;
    private static final int STATUS_END = 12;

    private int skipped;
    private boolean complete;
    private boolean http11;
    private int status;

    void begin() {
        skipped = 0;
        complete = false;
    }

    boolean complete() {
        return complete;
    }

    boolean http11() {
        return http11;
    }

    /** 100 to 599, once complete. */
    int status() {
        return status;
    }

    /** Reads the line at {@code at}, or an empty one before it; the index behind it, or {@link FieldReader#MORE}. */
    int line(byte[] in, int at, int end) {
        int to = at;
        while (to < end && REASON_BYTES[in[to] & 0xff]) {
            to++;
        }
        int next = LineBytes.afterLineEnd(in, to, end, "control character in the status line");
        if (next == FieldReader.MORE) {
            return next;
        }
        if (to == at) {
            // A client may meet the line end that an old server put behind its last body; RFC 9112 section 2.2 has it for servers.
            skipped += next - at;
        } else {
            parse(in, at, to);
            complete = true;
        }
        if (Math.max(skipped, to - at) > ResponseParser.MAX_LINE_BYTES) {
            throw new MalformedResponse("status line too long");
        }
        return next;
    }

    private void parse(byte[] in, int at, int to) {
        int length = to - at;
        if (length < STATUS_AT || !LineBytes.equals(in, at, at + MINOR_AT, VERSION) || in[at + STATUS_AT - 1] != ' '
                || in[at + MINOR_AT] != '1' && in[at + MINOR_AT] != '0') {
            throw new MalformedResponse("version (expected: HTTP/1.1 or HTTP/1.0, and a space)");
        }
        http11 = in[at + MINOR_AT] == '1';
        if (length < STATUS_END || length > STATUS_END && in[at + STATUS_END] != ' ') {
            throw new MalformedResponse("status (expected: three digits)");
        }
        int hundreds = digit(in[at + STATUS_AT]);
        if (hundreds < 1 || hundreds > 5) {
            throw new MalformedResponse("status (expected: 100..599)");
        }
        status = (hundreds * 10 + digit(in[at + STATUS_AT + 1])) * 10 + digit(in[at + STATUS_AT + 2]);
    }

    private static int digit(byte b) {
        if (b < '0' || b > '9') {
            throw new MalformedResponse("status (expected: three digits)");
        }
        return b - '0';
    }
}
