package io.penstock.proxy.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/** Makes responses of every framing from a seed, and breaks some of them. */
final class ResponseMaker {

    private static final String[] STATUSES = {"200 OK", "200", "200 ", "404 Not Found", "500 \u00e4", "599 Odd", "201 A  B\tC",
            "204 No Content",
        "304 Not Modified", "600 X", "099 X", "20 X", "2000 X", "101 Switching Protocols", "+20 X"};
    private static final String[] NAMES = {"server", "Date", "content-type", "X-A", "x-b", "Set-Cookie", "x-request-id", "Keep-Alive",
        "connection", "Connection", "upgrade", "te", "Trailer", "proxy-connection", "http2-settings", "Via", "!#$%&'*+-.^_`|~0",
                "cache-control",
        "grpc-status"};
    private static final String[] VALUES = {"", "uvicorn", "a", "application/json", "text/event-stream; charset=utf-8", "a  b\tc",
            "\u00e9\u00ff",
        "close", "keep-alive", "Close, x-a", "x-b,x-a", ",", " padded \t ", "Mon, 30 Nov 2026 16:25:41 GMT", "content-length",
                ":status", "1"};
    private static final String[] EXTENSIONS = {"", "", "", "", ";a", ";a=b", ";a=\"q\\\"; x\"", " ;a", ";a = b", ";a= b;c", ";",
            ";;", ";a=",
        ";a=\"open", ";a=\u00e9", " ", ";a=b c", ";a=\"x\" ;b", ";a(b"};
    /** Put in at a random place. */
    private static final String[] POISON = {"\r", "\n", "\r\n", "\r\n\r\n", " ", "\t", "\0", ":", ";", "\"", "\\", "\u007f", "\u0080",
            "\u000b", "0", "-",
        "\r\n ", "\r\n\t", ",", "content-length: 3\r\n", "Content-Length:3, 3\r\n", "transfer-encoding: chunked\r\n",
        "Transfer-Encoding : chunked\r\n", "transfer-encoding: gzip, chunked\r\n", "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 103 Early\r\n\r\n", "0\r\n\r\n",
        "connection: close\r\n", "\r\nx-fold: a\r\n b"};
    private static final String BODY = "data: {\"choices\":[{\"text\":\"hello\"}]}\r\n\r\n0\r\n\r\n\n";

    private final Random random;
    private final StringBuilder text = new StringBuilder();
    private boolean toHead;

    ResponseMaker(long seed) {
        random = new Random(seed);
    }

    /** Whether the request was a HEAD. */
    boolean toHead() {
        return toHead;
    }

    byte[] make() {
        toHead = chance(30);
        while (chance(12) && text.length() < 2_000) {
            head(one("100 Continue", "103 Early Hints", "102", "199 X"), true);
            fields(random.nextInt(3));
            text.append("\r\n");
        }
        if (chance(900)) {
            text.append("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(9 + random.nextInt(3)));
        }
        response();
        if (chance(15)) {
            text.append(one("x", "\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"));
        }
        if (random.nextInt(5) < 2) {
            for (int times = 1 + random.nextInt(3); times > 0; times--) {
                breakIt();
            }
        }
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private void response() {
        head(random.nextInt(3) > 0 ? "200 OK" : one(STATUSES), !chance(8));
        fields(random.nextInt(5));
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> sized();
            case 3, 4, 5 -> chunked();
            case 6 -> {
                fields(random.nextInt(3));
                text.append("\r\n").append(body(random.nextInt(60)));
            }
            default -> {
                text.append(chance(15) ? "x: y\r\n".repeat(99) : "");
                text.append(one("Content-Length: 2\r\ncontent-length: 2", "content-length: 2, 2", "content-length: 2\r\ncontent-length: 3",
                        "content-length: 02\r\ncontent-length: 2", "content-length: 007", "content-length:",
                                "content-length: 9223372036854775807",
                        "content-length: 9223372036854775808", "content-length: +2", "content-length: 0", "content-length: 0, 0",
                        "transfer-encoding: Chunked\r\ntransfer-encoding: chunked", "transfer-encoding: gzip",
                        "content-length: 2\r\ntransfer-encoding: chunked", "transfer-encoding:"));
                text.append("\r\n\r\nok");
            }
        }
    }

    private void head(String status, boolean newest) {
        if (chance(40)) {
            text.append(chance(3) ? one("\n", "\r\r\n", "\n\r\n", "\r\n\n") : "\r\n".repeat(1 + random.nextInt(2)));
        }
        if (chance(2_000)) {
            status += ' ' + "r".repeat((8 << 10) - 14 - status.length() + random.nextInt(4));
        }
        text.append(chance(200) ? one("HTTP/2.0 ", "HTTP/1.2 ", "http/1.1 ", "HTTP/1.1  ", "HTTP/1.1\t", " HTTP/1.1 ", "ICY ")
                : newest ? "HTTP/1.1 " : "HTTP/1.0 ").append(status).append("\r\n");
    }

    private void fields(int count) {
        int fields = chance(600) ? 97 + random.nextInt(6) : count;
        for (int i = 0; i < fields; i++) {
            text.append(one(NAMES)).append(one(":", ": ", ": ", ": ", ":\t ")).append(one(VALUES)).append(one("", "", "", " ",
                    "\t")).append("\r\n");
        }
        if (chance(3_000)) {
            // Together with what stands around it, a few bytes on either side of the limit.
            text.append("x-long: ").append("y".repeat((60 << 10) - 8 - random.nextInt(40))).append("\r\n");
        }
    }

    private void sized() {
        String body = body(chance(4) ? 0 : random.nextInt(200));
        text.append("content-length: ").append(body.length()).append("\r\n");
        fields(random.nextInt(2));
        text.append("\r\n").append(body);
    }

    private void chunked() {
        text.append(one("transfer-encoding: chunked", "Transfer-Encoding: Chunked", "TRANSFER-ENCODING:chunked")).append("\r\n");
        fields(random.nextInt(2));
        text.append("\r\n");
        for (int chunks = random.nextInt(5); chunks > 0; chunks--) {
            String data = body(1 + (chance(60) ? random.nextInt(10_000) : random.nextInt(60)));
            text.append(size(data.length())).append(chance(10) ? one(EXTENSIONS) : "").append("\r\n").append(data).append("\r\n");
        }
        text.append(chance(20) ? "000" : chance(300) ? one("80000000", "7fffffff", "fffffffff", "0x0", "-1", "+0", "", "g") : "0")
                .append(chance(20) ? one(EXTENSIONS) : chance(3_000) ? ";" + "e".repeat((8 << 10) - 4
                        + random.nextInt(5)) : "").append("\r\n");
        if (chance(6)) {
            fields(random.nextInt(3));
            text.append(chance(8) ? one("content-length: 9\r\n", "transfer-encoding: gzip\r\n", "trailer: x\r\n",
                    "content-length: \0\r\n", "trailer: x\r\n".repeat(99 + random.nextInt(4))) : "");
        }
        text.append("\r\n");
    }

    private String size(int bytes) {
        String hex = Integer.toHexString(bytes);
        return random.nextBoolean() ? hex : "0".repeat(random.nextInt(12)) + hex.toUpperCase(Locale.ROOT);
    }

    private String body(int length) {
        int from = random.nextInt(BODY.length());
        return BODY.substring(from).concat(BODY.repeat(length / BODY.length() + 1)).substring(0, length);
    }

    private void breakIt() {
        int at = random.nextInt(text.length() + 1);
        switch (random.nextInt(5)) {
            case 0 -> text.setLength(at);
            case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(3)));
            case 2 -> text.insert(at, one(POISON));
            case 3 -> text.insert(Math.min(text.length(), Math.max(0, lineAt(at))), one(POISON));
            default -> {
                if (at < text.length()) {
                    text.setCharAt(at, (char) random.nextInt(256));
                }
            }
        }
    }

    /** The start of the next line, where most of what can go wrong does. */
    private int lineAt(int at) {
        int feed = text.indexOf("\n", at);
        return feed < 0 ? at : feed + 1;
    }

    /** Where the reads end: sorted, the last at the end. */
    int[] cuts(int length) {
        int[] cuts = new int[random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(6)];
        for (int i = 0; i < cuts.length; i++) {
            cuts[i] = random.nextInt(length + 1);
        }
        cuts[cuts.length - 1] = length;
        Arrays.sort(cuts);
        return cuts;
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private String one(String... of) {
        return of[random.nextInt(of.length)];
    }
}
