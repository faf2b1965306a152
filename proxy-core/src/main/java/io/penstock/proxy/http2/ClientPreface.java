package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.connectionError;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.CharsetUtil;

/** The 24 bytes that a server expects before the first frame (RFC 9113 section 3.4). Used on one event loop. */
final class ClientPreface {

    private static final byte[] BYTES = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(CharsetUtil.US_ASCII);

    private int read;

    /** @param expected false where there is none to come */
    ClientPreface(boolean expected) {
        read = expected ? 0 : BYTES.length;
    }

    /** Takes its bytes off the buffer; true once it is complete. */
    boolean read(ByteBuf in) throws Http2Exception {
        while (read < BYTES.length && in.isReadable()) {
            if (in.readByte() != BYTES[read]) {
                throw connectionError(PROTOCOL_ERROR, "the connection does not begin with HTTP/2's preface");
            }
            read++;
        }
        return read == BYTES.length;
    }
}
