package io.penstock.proxy.codec;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a reader of one response told, in a form that two readers can be compared in; as a sink it also holds the parser to its word. */
final class Transcript implements ResponseSink {

    enum End { COMPLETE, MALFORMED, CUT }

    final List<String> heads = new ArrayList<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    End end = End.CUT;
    boolean reusable;
    private @Nullable String why;

    // -- as a sink

    @Override
    public void onInformational(Http2Headers head) {
        goesOn();
        heads.add("1xx " + text(head));
    }

    @Override
    public void onHead(Http2Headers head, boolean last) {
        goesOn();
        heads.add(text(head));
        end(last);
    }

    @Override
    public void onData(ByteBuf data, boolean last) {
        goesOn();
        if (!data.isReadable() && !last) {
            throw new AssertionError("an empty piece of a body that is not its last");
        }
        body(data);
        end(last);
    }

    @Override
    public void onTrailers(Http2Headers trailers) {
        goesOn();
        if (trailers.isEmpty()) {
            throw new AssertionError("trailers without a field");
        }
        heads.add("trailers " + text(trailers));
        end(true);
    }

    @Override
    public void onMalformed(String reason) {
        goesOn();
        why = reason;
        end = End.MALFORMED;
    }

    private void goesOn() {
        if (end != End.CUT) {
            throw new AssertionError("told something after the end");
        }
    }

    private void end(boolean last) {
        if (last) {
            end = End.COMPLETE;
        }
    }

    // -- for both readers

    void body(ByteBuf data) {
        while (data.isReadable()) {
            body.write(data.readByte());
        }
        data.release();
    }

    /** Fields by name; their order among equal names is kept. A length is a number, however it was written. */
    static String text(Http2Headers head) {
        List<Map.Entry<CharSequence, CharSequence>> fields = new ArrayList<>();
        // Copies, since an iterator may reuse its entry.
        head.forEach(field -> fields.add(Map.entry(field.getKey(), field.getValue())));
        fields.sort(Comparator.comparing(field -> field.getKey().toString()));
        StringBuilder text = new StringBuilder();
        for (Map.Entry<CharSequence, CharSequence> field : fields) {
            boolean length = "content-length".contentEquals(field.getKey());
            text.append(field.getKey()).append('=')
                    .append(length ? Long.toString(Long.parseLong(field.getValue().toString())) : field.getValue()).append('|');
        }
        return text.toString();
    }

    String bodyText() {
        return body.toString(StandardCharsets.ISO_8859_1);
    }

    /** All that must be equal. */
    String all() {
        return end + " reusable=" + reusable + "\n" + String.join("\n", heads) + "\nbody " + bodyText();
    }

    @Override
    public String toString() {
        return all() + (why == null ? "" : "\nwhy " + why);
    }
}
