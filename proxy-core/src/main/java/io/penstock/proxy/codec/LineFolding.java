package io.penstock.proxy.codec;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpConstants;

/** Finds obsolete line folding in a request head that is still undecoded (RFC 9112 section 5.2: a server may refuse it). Stateless. */
public final class LineFolding {

    private static final byte HT = 9;

    private LineFolding() {
    }

    /**
     * Whether the head that begins, or goes on, at the reader index has a folded line among the bytes that are there.
     *
     * @param begun whether lines of this head have been decoded before; the reader index is at a line's start then
     */
    public static boolean found(ByteBuf in, boolean begun) {
        int at = in.readerIndex();
        int end = in.writerIndex();
        if (begun && at < end && isSpace(in.getByte(at))) {
            return true;
        }
        while (!begun && at < end && isLineEnd(in.getByte(at))) {
            at++;
        }
        for (;;) {
            int feed = in.indexOf(at, end, HttpConstants.LF);
            if (feed < 0 || feed + 1 >= end || blank(in, at, feed)) {
                return false;
            }
            byte next = in.getByte(feed + 1);
            if (isSpace(next)) {
                return true;
            }
            if (isLineEnd(next)) {
                return false;
            }
            at = feed + 1;
        }
    }

    private static boolean blank(ByteBuf in, int from, int feed) {
        return feed == from || feed == from + 1 && in.getByte(from) == HttpConstants.CR;
    }

    private static boolean isSpace(byte b) {
        return b == HttpConstants.SP || b == HT;
    }

    private static boolean isLineEnd(byte b) {
        return b == HttpConstants.CR || b == HttpConstants.LF;
    }
}
