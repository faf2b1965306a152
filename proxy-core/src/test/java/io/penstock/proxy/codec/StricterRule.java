package io.penstock.proxy.codec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Where the parser refuses what Netty, with the proxy's former rules, takes. Nothing else may differ, and the test has an example
 * of each. Each looks at the bytes by itself, whatever the parser says.
 */
enum StricterRule {

    /** RFC 9112 section 4: one space each, no control character; Netty splits at any run of blanks and takes what a reason holds. */
    A_STATUS_LINE_IS_THE_GRAMMARS(head -> !Pattern.compile("HTTP/1\\.[01] [1-5][0-9]{2}( [\\t\\x20-\\x7e\\x80-\\xff]*)?").matcher(
            lines(withoutEmptyLines(head))[0]).matches(), none -> false),
    /** RFC 9112 section 2.2: empty lines before it end with CR and LF like all others; Netty skips these two in any mixture. */
    EMPTY_LINES_ARE_LINES(head -> !head.substring(0, head.length() - withoutEmptyLines(head).length()).matches("(\\r\\n)*"),
            none -> false),
    /** RFC 9112 section 5.2: a proxy may refuse a folded line with a 502. */
    NO_LINE_IS_FOLDED(StricterRule::folded, StricterRule::folded),
    /** RFC 9112 section 6.3: several lengths are one or an error; Netty takes the first of an HTTP/1.0 response. */
    LENGTHS_IN_HTTP_1_0_AGREE(head -> withoutEmptyLines(head).startsWith("HTTP/1.0")
            && Pattern.compile("(?i)\\r\\ncontent-length:").matcher(head).results().count() > 1, none -> false),
    /** All lines of a head count against the limit of 100; for Netty lengths count once, and forbidden trailers not at all. */
    EVERY_LINE_COUNTS(StricterRule::manyLines, StricterRule::manyLines),
    /** Forbidden trailers are checked like others before they are dropped. */
    FORBIDDEN_TRAILERS_ARE_CHECKED(none -> false, trailers -> Pattern.compile(
            "(?i)\\n(content-length|transfer-encoding|trailer):[^\\r\\n]*"
            + "([\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]|\\r(?!\\n))").matcher(trailers).find());

    private static final Pattern INFORMATIONAL = Pattern.compile("\\A[ \\t\\x0b\\x0c\\r]*HTTP/1\\.[01][ \\t\\x0b\\x0c\\r]+1");

    private final Predicate<String> toHead;
    private final Predicate<String> toTrailers;

    StricterRule(Predicate<String> toHead, Predicate<String> toTrailers) {
        this.toHead = toHead;
        this.toTrailers = toTrailers;
    }

    /** The rules that may have refused the response. */
    static List<StricterRule> thatApply(byte[] response) {
        String text = new String(response, StandardCharsets.ISO_8859_1);
        List<StricterRule> applying = new ArrayList<>();
        List<String> heads = heads(text);
        List<String> trailers = trailers(text);
        for (StricterRule rule : values()) {
            if (heads.stream().anyMatch(rule.toHead) || trailers.stream().anyMatch(rule.toTrailers)) {
                applying.add(rule);
            }
        }
        return applying;
    }

    /** As any reader that looks for empty lines finds them, up to the first that is no 1xx. */
    private static List<String> heads(String text) {
        List<String> heads = new ArrayList<>();
        boolean more = true;
        for (int at = 0; more;) {
            String rest = text.substring(at);
            int end = rest.indexOf("\r\n\r\n", rest.length() - withoutEmptyLines(rest).length());
            String head = end < 0 ? rest : rest.substring(0, end + 2);
            heads.add(head);
            more = end >= 0 && INFORMATIONAL.matcher(withoutEmptyLines(head)).find();
            at += end + 4;
        }
        return heads;
    }

    /** What may be some: everything from a line that ends with a zero, or goes on after it, to an empty line. */
    private static List<String> trailers(String text) {
        List<String> trailers = new ArrayList<>();
        for (int zero = text.indexOf('0'); zero >= 0; zero = text.indexOf('0', zero + 1)) {
            int line = text.indexOf("\r\n", zero);
            if (line >= 0) {
                int end = text.indexOf("\r\n\r\n", line);
                trailers.add(text.substring(line, end < 0 ? text.length() : end + 2));
            }
        }
        return trailers;
    }

    private static boolean folded(String part) {
        return part.contains("\r\n ") || part.contains("\r\n\t");
    }

    private static boolean manyLines(String part) {
        // Neither what stands before the first line end nor the nothing behind the last is a field.
        return lines(withoutEmptyLines(part)).length - 1 > ResponseParser.MAX_HEADERS;
    }

    private static String[] lines(String head) {
        return head.split("\r\n", -1);
    }

    private static String withoutEmptyLines(String head) {
        int at = 0;
        while (at < head.length() && (head.charAt(at) == '\r' || head.charAt(at) == '\n')) {
            at++;
        }
        return head.substring(at);
    }
}
