package io.penstock.proxy.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkLineTest {

    private static final int LINES = 300_000;
    /** Digits and line ends most of all, so that many lines are plain and more are nearly so. */
    private static final byte[] BYTES = "0019afAFgG;; \r\r\r\n\n\n\u0080\u00ff:/@`".getBytes(StandardCharsets.ISO_8859_1);

    @Test
    void aLineKnownAtOneLookIsTheOneThatIsReadByteByByte() {
        Random random = new Random(20_261_130);
        int plain = 0;
        byte[] bytes = new byte[ChunkLine.LOOK];
        for (int i = 0; i < LINES; i++) {
            for (int b = 0; b < bytes.length; b++) {
                bytes[b] = BYTES[random.nextInt(BYTES.length)];
            }
            if (i % 3 == 0) {
                int end = 1 + random.nextInt(7);
                bytes[end - 1] = '\r';
                bytes[end] = '\n';
            }
            plain += compare(bytes) ? 1 : 0;
        }
        assertThat(plain).as("plain lines").isGreaterThan(LINES / 100);
    }

    /** Whether it is plain. */
    private static boolean compare(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        int look = ChunkLine.plain(in.getLong(0));
        int size;
        try {
            size = new ChunkLine().read(in);
        } catch (MalformedResponse e) {
            size = ChunkLine.MORE;
        }
        String line = new String(bytes, 0, in.readerIndex(), StandardCharsets.ISO_8859_1);
        int expected = size > 0 && line.matches("[0-9a-fA-F]{1,6}\r\n") ? size << ChunkLine.SIZE_SHIFT | line.length() : 0;
        if (look != expected) {
            assertThat(look).as("look at %s", new String(bytes, StandardCharsets.ISO_8859_1)).isEqualTo(expected);
        }
        return look != 0;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "97", "a5C", "ffff", "10000", "00000f", "ffFFff"})
    void aSizeOfUpToSixDigitsIsKnownAtOneLook(String size) {
        ByteBuf in = Unpooled.copiedBuffer(size + "\r\ndata: {", StandardCharsets.ISO_8859_1);
        int look = ChunkLine.plain(in.getLong(0));
        assertThat(look >>> ChunkLine.SIZE_SHIFT).isEqualTo(Integer.parseInt(size, 16));
        assertThat(look & ChunkLine.LENGTH).isEqualTo(size.length() + 2);
    }
}
