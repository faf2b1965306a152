package io.penstock.proxy.http2;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Exception.streamError;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** What makes a message malformed beside its single fields (RFC 9113 sections 8.1.1 and 8.3); each is a stream error. Stateless. */
final class MessageRules {

    private static final String PROTOCOL = ":protocol";
    /** Digits that fit into a long, whatever they are. */
    private static final int SAFE_DIGITS = 18;

    private MessageRules() {
    }

    static void checkRequest(int streamId, Http2Headers head) throws Http2Exception {
        CharSequence method = head.method();
        if (method == null) {
            throw streamError(streamId, PROTOCOL_ERROR, "request without :method");
        }
        if (HttpMethod.CONNECT.asciiName().contentEquals(method) && !head.contains(PROTOCOL)) {
            if (head.authority() == null) {
                throw streamError(streamId, PROTOCOL_ERROR, "CONNECT without :authority");
            }
            return;
        }
        CharSequence path = head.path();
        if (head.scheme() == null || path == null || path.length() == 0) {
            throw streamError(streamId, PROTOCOL_ERROR, "request without :scheme or :path");
        }
    }

    static void checkResponse(int streamId, Http2Headers head) throws Http2Exception {
        CharSequence status = head.status();
        if (status == null || status.length() != 3) {
            throw streamError(streamId, PROTOCOL_ERROR, "response without a :status of three digits");
        }
    }

    static boolean informational(Http2Headers head) {
        return head.status().charAt(0) == '1';
    }

    static void checkTrailers(int streamId, Http2Headers trailers) throws Http2Exception {
        for (Map.Entry<CharSequence, CharSequence> field : trailers) {
            CharSequence name = field.getKey();
            if (name.length() > 0 && name.charAt(0) == ':') {
                throw streamError(streamId, PROTOCOL_ERROR, "pseudo header field in trailers");
            }
        }
    }

    /** What content-length says, or -1; equal ones in several fields, or in a list, become one (RFC 9110 section 8.6). */
    static long contentLength(int streamId, Http2Headers head) throws Http2Exception {
        Iterator<CharSequence> values = head.valueIterator(HttpHeaderNames.CONTENT_LENGTH);
        if (!values.hasNext()) {
            return -1;
        }
        long single = digits(values.next());
        return single >= 0 && !values.hasNext() ? single : unusualLength(streamId, head);
    }

    private static long unusualLength(int streamId, Http2Headers head) throws Http2Exception {
        List<CharSequence> values = head.getAll(HttpHeaderNames.CONTENT_LENGTH);
        try {
            long length = HttpUtil.normalizeAndGetContentLength(values, false, true);
            head.setLong(HttpHeaderNames.CONTENT_LENGTH, length);
            return length;
        } catch (IllegalArgumentException e) {
            throw streamError(streamId, PROTOCOL_ERROR, e, "content-length: %s (expected: one number)", values);
        }
    }

    private static long digits(CharSequence text) {
        int length = text.length();
        if (length == 0 || length > SAFE_DIGITS) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < length; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    /** Counts body bytes against content-length. */
    static void countBody(SessionStream stream, int bytes, boolean last, boolean request) throws Http2Exception {
        if (stream.bodyExpected < 0) {
            return;
        }
        stream.bodyReceived += bytes;
        boolean tooFew = last && stream.bodyReceived < stream.bodyExpected
                // A response without any body may tell the length that another would have: to HEAD, or 304.
                && (request || stream.bodyReceived > 0);
        if (tooFew || stream.bodyReceived > stream.bodyExpected) {
            throw streamError(stream.id(), PROTOCOL_ERROR, "body: %d bytes (expected: content-length %d)", stream.bodyReceived,
                    stream.bodyExpected);
        }
    }
}
