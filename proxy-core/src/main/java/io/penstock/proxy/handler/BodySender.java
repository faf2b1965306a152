package io.penstock.proxy.handler;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.proxy.request.UpstreamExchange;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Hands body parts to the backend one behind the other, so that the last one can carry the end of the body. Used once, on one stack. */
final class BodySender implements Consumer<ByteBuf> {

    private final UpstreamExchange exchange;
    private @Nullable ByteBuf pending;
    private int bytes;

    BodySender(UpstreamExchange exchange) {
        this.exchange = exchange;
    }

    @Override
    public void accept(ByteBuf part) {
        bytes += part.readableBytes();
        if (pending != null) {
            exchange.data(pending, false);
        }
        pending = part;
    }

    /** Sends what is left, with the end of the body when there is no more to come. */
    void finish(boolean complete) {
        if (pending != null) {
            exchange.data(pending, complete);
        } else if (complete) {
            exchange.data(Unpooled.EMPTY_BUFFER, true);
        }
    }

    /** Bytes handed over. */
    int bytes() {
        return bytes;
    }
}
