package io.penstock.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.LeakPresenceDetector;
import io.penstock.proxy.codec.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Hostile heads are either refused or read by a second, plain parser as exactly one request with one framing (spec/edge.md E2). */
class RequestHeadFuzzTest {

    private static final String[] NAMES = {"x", "cookie", "host", "content-length", "transfer-encoding", "connection", "te", "X-Y", "a b",
        "Host", "Content-Length", "Transfer-Encoding",
        "a:", "", "expect", ":path", ":status", "upgrade", "x\r\ny", "x\0"};
    private static final String[] VALUES = {"", "a", "5", "0", "5, 5", "chunked", "a\r\nb: c", "a\nb", "a\rb", "a\0", " a", "a ",
        "x, content-length", "\u00e4", "\u010a\u010d", "a\u0085b", "close", "12345678901234567890"};
    private static final String[] TARGETS = {"/", "/x?y", "*", "", "/a b", "/a\r\nhost: evil", "/\u010d\u010a", "/\t"};
    private static final String[] METHODS = {"GET", "POST", "HEAD", "", "CONNECT", "G ET", "G\r\n", "\u010d"};
    private static final int HEADS = 30_000;

    private final RequestEncoder encoder = new RequestEncoder();
    private final Random random = new Random(20_260_101);

    private String one(String[] of) {
        return of[random.nextInt(of.length)];
    }

    private Http2Headers head() {
        // The first entries of these two are good, so that enough heads get past the first line.
        Http2Headers head = new DefaultHttp2Headers(false).method(random.nextInt(4) > 0 ? METHODS[random.nextInt(3)] : one(METHODS))
                .path(random.nextInt(4) > 0 ? TARGETS[random.nextInt(3)] : one(TARGETS))
                .authority(random.nextInt(4) > 0 ? "a" : one(VALUES));
        for (int fields = random.nextInt(5); fields > 0; fields--) {
            head.add(one(NAMES), one(VALUES));
        }
        return head;
    }

    @Test
    void everyHeadIsRefusedOrIsExactlyOneRequest() {
        int sent = 0;
        for (int i = 0; i < HEADS; i++) {
            Http2Headers head = head();
            boolean last = random.nextBoolean();
            long length = RequestEncoder.bodyLength(head, last);
            try {
                ByteBuf out = encoder.encode(UnpooledByteBufAllocator.DEFAULT, head, length, "fallback:80", 0);
                String text = out.toString(StandardCharsets.ISO_8859_1);
                out.release();
                check(text, length);
                sent++;
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageContaining("expected: ");
            }
        }
        assertThat(sent).isBetween(HEADS / 10, HEADS * 9 / 10);
        LeakPresenceDetector.check();
    }

    private static void check(String text, long length) {
        assertThat(text).endsWith("\r\n\r\n").doesNotContain("\0");
        assertThat(text.indexOf("\r\n\r\n")).as("%s", text).isEqualTo(text.length() - 4);
        List<String> names = new ArrayList<>();
        String[] lines = text.substring(0, text.length() - 4).split("\r\n", -1);
        assertThat(lines[0]).matches("[A-Z]+ [!-~]+ HTTP/1\\.1");
        for (int i = 1; i < lines.length; i++) {
            assertThat(lines[i]).matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\\t\\x20-\\x7e\\x80-\\xff]*");
            names.add(lines[i].substring(0, lines[i].indexOf(':')));
        }
        assertThat(names).containsOnlyOnce("host").doesNotContain("connection", "te", "upgrade", "expect");
        long framings = names.stream().filter(name -> name.equals("content-length") || name.equals("transfer-encoding")).count();
        assertThat(framings).as("%s", text).isLessThanOrEqualTo(1);
        if (length == RequestEncoder.CHUNKED) {
            assertThat(text).contains("\r\ntransfer-encoding: chunked\r\n");
        } else if (length > 0) {
            assertThat(text).contains("\r\ncontent-length: " + length + "\r\n");
        }
    }
}
