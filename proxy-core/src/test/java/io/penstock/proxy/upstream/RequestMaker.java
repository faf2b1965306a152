package io.penstock.proxy.upstream;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.penstock.proxy.codec.RequestEncoder;
import io.penstock.proxy.http2.FlatHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Makes a request from a seed, and knows how a backend has to read it. */
final class RequestMaker {

    static final String DEFAULT_AUTHORITY = "10.0.0.1:8000";

    private static final String TOKEN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
    private static final String[] METHODS = {"GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH", "M-SEARCH", "x!#$%&'*+-.^_`|~9"};
    private static final List<String> USUALLY_WITH_BODY = List.of("POST", "PUT", "PATCH");
    private static final String[] STAYS_BEHIND = {"keep-alive", "Proxy-Connection", "te", "TE", "upgrade", "trailer", "http2-settings",
        "transfer-encoding", "Transfer-Encoding", "expect", "Expect", ":protocol", ":x", "connection", "Connection"};
    private static final String[] DOUBTFUL_LENGTHS = {"", "+5", "-0", "5, 5", "5 ", "0x5", "1234567890123456789", "5\t"};
    /** Refused wherever they stand. */
    private static final String[] BAD = {"\r", "\n", "\0", "\r\n", "\r\nx: y", "\u007f", "\u0001", "\u001f"};
    /** Refused in all other parts. */
    private static final String[] BAD_BUT_IN_VALUES = {"\u0080", "\u00ff", "\u0085", "\u010a", "\u010d", "\u2028", " ", "\t"};

    private final Random random;
    private final Http2Headers head;
    private final List<String> expected = new ArrayList<>();
    private String method = "GET";
    private String path = "/";
    private @Nullable String authority;
    private boolean last;
    private byte[] body = new byte[0];
    private long length;

    RequestMaker(long seed) {
        random = new Random(seed);
        head = random.nextBoolean() ? new FlatHeaders(random.nextInt(8)) : new DefaultHttp2Headers(false);
    }

    // -- what was made

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    boolean last() {
        return last;
    }

    byte[] body() {
        return body;
    }

    long length() {
        return length;
    }

    /** The field lines that the backend has to see, in their order. */
    List<String> expected() {
        return expected;
    }

    int upTo(int most) {
        return random.nextInt(most + 1);
    }

    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    // -- making it

    Http2Headers plain(String target) {
        return head.method("GET").path(target).authority("a");
    }

    Http2Headers make() {
        method = chance(3) ? one(METHODS) : "POST";
        path = "/" + visible(chance(20) ? 3_000 : 40);
        head.method(text(method)).scheme("http").path(text(path));
        host();
        List<String> crumbs = new ArrayList<>();
        last = chance(4);
        if (!last) {
            body = bytes(chance(5) ? 0 : random.nextInt(chance(4) ? 40 << 10 : 2_000));
        }
        boolean lengthGiven = declare();
        for (int fields = random.nextInt(8); fields > 0; fields--) {
            field(crumbs);
        }
        if (!crumbs.isEmpty()) {
            expected.add("cookie: " + String.join("; ", crumbs));
        }
        if (length == RequestEncoder.CHUNKED) {
            expected.add("transfer-encoding: chunked");
        } else if (length > 0 || lengthGiven || USUALLY_WITH_BODY.contains(method)) {
            expected.add("content-length: " + length);
        }
        return head;
    }

    private void host() {
        String host = visible(20) + "h:80";
        if (chance(3)) {
            authority = chance(2) ? DEFAULT_AUTHORITY : host;
            if (authority.equals(host)) {
                head.add("host", text(host));
            }
        } else {
            authority = host;
            head.authority(text(host));
            if (chance(4)) {
                head.add(one("host", "hosT"), text("other"));
            }
        }
        expected.add("host: " + authority);
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private boolean declare() {
        switch (random.nextInt(4)) {
            case 0 -> {
                length = last ? 0 : RequestEncoder.CHUNKED;
                return false;
            }
            case 1 -> {
                length = last ? 0 : RequestEncoder.CHUNKED;
                head.add("content-length", text(one(DOUBTFUL_LENGTHS)));
                if (chance(2)) {
                    head.add("content-length", "7");
                }
                return true;
            }
            default -> {
                length = body.length;
                head.add("content-length", text((chance(5) ? "00" : "") + length));
                return true;
            }
        }
    }

    private void field(List<String> crumbs) {
        switch (random.nextInt(6)) {
            case 0 -> head.add(text(one(STAYS_BEHIND)), text(chance(2) ? "close" : value().replace(',', ';')));
            case 1 -> {
                String name = "Listed-" + random.nextInt(1_000);
                String lower = name.toLowerCase(Locale.ROOT);
                head.add("connection", text(one("close, ", "", ",, ") + (chance(2) ? name : lower) + one("", " ,x")));
                head.add(text(chance(2) ? name : lower), text(value()));
            }
            case 2 -> {
                String crumb = value().strip() + "=1";
                crumbs.add(crumb);
                head.add("cookie", text(crumb));
            }
            default -> {
                String name = "n" + token(20);
                String value = value();
                head.add(text(name), text(value));
                // White space behind a value is none of it (RFC 9110 section 5.5).
                expected.add(name.toLowerCase(Locale.ROOT) + ": " + value.stripTrailing());
            }
        }
    }

    /** A request that is good but for one place. */
    Http2Headers poisoned() {
        plain("/" + visible(10));
        String anywhere = chance(2) ? one(BAD) : one(BAD_BUT_IN_VALUES);
        switch (random.nextInt(7)) {
            case 0 -> head.method(text(with(token(6) + "M", anywhere)));
            case 1 -> head.path(text(with("/" + visible(20), anywhere)));
            case 2 -> head.authority(text(with("a" + visible(10), anywhere)));
            case 3 -> {
                head.remove(":authority");
                head.add("host", text(with("a" + visible(10), anywhere)));
            }
            // A name that begins with a colon is no field's.
            case 4 -> head.add(text(with("n" + token(10), one(anywhere, ":", "(", "\"", "/")).replaceFirst("^:", "(")), "x");
            case 5 -> head.add(one("x", "cookie", "server"), text(with("v" + visible(10), one(BAD))));
            default -> head.add(one("x", "cookie"), text(one(" ", "\t") + "v"));
        }
        for (int more = random.nextInt(3); more > 0; more--) {
            head.add("n" + token(10), value());
        }
        return head;
    }

    private String with(String good, String bad) {
        int at = random.nextInt(good.length() + 1);
        return good.substring(0, at) + bad + good.substring(at);
    }

    // -- parts

    private String one(String... of) {
        return of[random.nextInt(of.length)];
    }

    private String token(int most) {
        StringBuilder token = new StringBuilder();
        for (int left = random.nextInt(most + 1); left > 0; left--) {
            token.append(TOKEN.charAt(random.nextInt(TOKEN.length())));
        }
        return token.toString();
    }

    private String visible(int most) {
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(most + 1); left > 0; left--) {
            text.append((char) ('!' + random.nextInt(0x7f - '!')));
        }
        return text.toString();
    }

    /** Of any byte that a value may have; begins with no white space. */
    private String value() {
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(chance(30) ? 2_000 : 30); left > 0; left--) {
            int c = random.nextInt(0x100);
            text.append(c >= ' ' && c != 0x7f ? (char) c : chance(4) ? '\t' : 'v');
        }
        return text.toString().stripLeading();
    }

    /** The text in one of the forms that heads have. */
    private CharSequence text(String text) {
        boolean bytes = text.chars().allMatch(c -> c < 0x100);
        if (!bytes || chance(3)) {
            return text;
        }
        byte[] in = ("<<" + text + ">").getBytes(StandardCharsets.ISO_8859_1);
        return new AsciiString(in, 2, text.length(), chance(2));
    }
}
