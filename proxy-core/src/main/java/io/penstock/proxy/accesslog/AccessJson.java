package io.penstock.proxy.accesslog;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.penstock.flow.FlowKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Writes records as JSON, one a line, in ASCII: nothing that a client sends can end a line, colour a terminal or leave its string. What is
 * not known is null. Confined to the writer's thread.
 */
final class AccessJson {

    private static final JsonFactory JSON = JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
    private static final DateTimeFormatter SECOND = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.").withZone(ZoneOffset.UTC);

    private final JsonGenerator json;
    private long second = Long.MIN_VALUE;
    private String secondText = "";

    AccessJson(ByteArrayOutputStream out) {
        try {
            json = JSON.createGenerator(out);
            json.setRootValueSeparator(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(AccessRecord record) throws IOException {
        json.writeStartObject();
        json.writeStringField("start_time", time(record.startMillis()));
        json.writeStringField("method", printable(record.method()));
        json.writeStringField("path", printable(withoutQuery(record.path())));
        json.writeStringField("protocol", record.protocol());
        if (record.status() == 0) {
            json.writeNullField("status");
        } else {
            json.writeNumberField("status", record.status());
        }
        json.writeStringField("cause", record.cause().label());
        json.writeNumberField("bytes_received", record.bytesReceived());
        json.writeNumberField("bytes_sent", record.bytesSent());
        millis("duration_ms", record.durationNanos());
        millis("ttfb_ms", record.firstByteNanos());
        millis("queue_ms", record.queueNanos());
        json.writeStringField("queue_outcome", record.queueOutcome());
        json.writeNumberField("replays", record.replays());
        priority("priority_requested", record.requested());
        priority("priority_effective", record.effective());
        FlowKey flow = record.requested();
        json.writeStringField("fairness_id",
                flow == null ? null : printable(AccessRecord.cut(flow.fairnessId(), AccessRecord.MAX_ID)));
        json.writeStringField("endpoint", record.endpoint());
        json.writeStringField("request_id", printable(record.requestId()));
        json.writeStringField("drop_reason", record.dropReason());
        if (record.retryAfterSeconds() == 0) {
            json.writeNullField("retry_after_s");
        } else {
            json.writeNumberField("retry_after_s", record.retryAfterSeconds());
        }
        json.writeStringField("peer", record.peer());
        json.writeEndObject();
        json.writeRaw('\n');
    }

    /** Hands what was written on to the bytes. */
    void flush() throws IOException {
        json.flush();
    }

    private String time(long millis) {
        long now = Math.floorDiv(millis, 1000L);
        if (now != second) {
            second = now;
            secondText = SECOND.format(Instant.ofEpochSecond(now));
        }
        int rest = (int) Math.floorMod(millis, 1000L);
        return secondText + (char) ('0' + rest / 100) + (char) ('0' + rest / 10 % 10) + (char) ('0' + rest % 10) + 'Z';
    }

    private void millis(String name, long nanos) throws IOException {
        if (nanos < 0) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, nanos / 1_000 / 1e3);
        }
    }

    private void priority(String name, @Nullable FlowKey flow) throws IOException {
        if (flow == null) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, flow.priority());
        }
    }

    private static CharSequence withoutQuery(CharSequence path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '?' || c == '#') {
                return path.subSequence(0, i);
            }
        }
        return path;
    }

    /** JSON may hold a DEL as it is, a terminal may not. */
    private static String printable(CharSequence value) {
        return value.toString().replace('\u007f', '?');
    }
}
