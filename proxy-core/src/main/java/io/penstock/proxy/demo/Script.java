package io.penstock.proxy.demo;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a {@link ScriptedBackend} does with one request: bytes to send, pauses, gates to wait at, and how it ends. Begins when the request
 * is complete unless it is {@link #early}; ends with the connection kept (closed when the client asked for that) unless a step says
 * otherwise. Immutable; each method gives a longer script.
 */
public final class Script {

    private static final Script EMPTY = new Script(List.of(), false, Long.MAX_VALUE, false);

    private final List<Step> steps;
    private final boolean early;
    private final long diesAt;
    private final boolean diesByReset;

    private Script(List<Step> steps, boolean early, long diesAt, boolean diesByReset) {
        this.steps = steps;
        this.early = early;
        this.diesAt = diesAt;
        this.diesByReset = diesByReset;
    }

    /** One thing to do. */
    sealed interface Step {

        /** Sends bytes as one write. */
        record Send(byte[] bytes) implements Step {
        }

        /** Does nothing for so long. */
        record Pause(long nanos) implements Step {
        }

        /** Waits until the gate of that name is opened. */
        record Hold(String gate) implements Step {
        }

        /** Ends the connection. */
        record End(boolean reset) implements Step {
        }

        /** Nothing more, for as long as the client stays. */
        record Never() implements Step {
        }
    }

    /** Nothing at all: the connection is kept and no byte was sent. To be filled. */
    public static Script empty() {
        return EMPTY;
    }

    /** Never answers. */
    public static Script never() {
        return EMPTY.then(new Step.Never());
    }

    /** Sends these characters, one byte each, as they are. */
    public static Script raw(String bytes) {
        return EMPTY.send(bytes);
    }

    /** A JSON answer with its length; header lines as {@code Name: value}, in any case and as often as given. */
    public static Script json(int status, String body, String... headerLines) {
        List<String> lines = new ArrayList<>(List.of("Content-Type: application/json",
                "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length));
        lines.addAll(List.of(headerLines));
        return EMPTY.head(status, lines.toArray(new String[0])).send(body.getBytes(StandardCharsets.UTF_8));
    }

    /** A chat answer as vLLM gives it. */
    public static Script chat(String text, String... headerLines) {
        return json(200, answer(text).whole(), headerLines);
    }

    /** A streamed chat answer as vLLM gives it, each event a chunk and a write of its own. */
    public static Script chatStream(String text, String... headerLines) {
        SimAnswer answer = answer(text);
        Script script = EMPTY.streamHead(headerLines).chunk(data(answer.roleEvent()));
        for (int i = 0; i < answer.tokens().size(); i++) {
            script = script.chunk(data(answer.beforeToken(), answer.token(i), answer.afterToken()));
        }
        return script.chunk(data(answer.finishEvent())).chunk(data(SimAnswer.DONE)).lastChunk();
    }

    private static SimAnswer answer(String text) {
        return new SimAnswer(true, "chatcmpl-scripted", "scripted", 1_800_000_000L, 9, SimTokens.split(text), "stop", "");
    }

    private static String data(byte[]... parts) {
        StringBuilder event = new StringBuilder("data: ");
        for (byte[] part : parts) {
            event.append(new String(part, StandardCharsets.UTF_8));
        }
        return event.append("\n\n").toString();
    }

    /** A response head, also an interim one such as 103; header lines as {@code Name: value}. */
    public Script head(int status, String... headerLines) {
        StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append(" Scripted\r\n");
        for (String line : headerLines) {
            head.append(line).append("\r\n");
        }
        return send(head.append("\r\n").toString());
    }

    /** The head of an event stream in chunks. */
    public Script streamHead(String... headerLines) {
        List<String> lines = new ArrayList<>(List.of("Content-Type: text/event-stream", "Transfer-Encoding: chunked"));
        lines.addAll(List.of(headerLines));
        return head(200, lines.toArray(new String[0]));
    }

    /** One chunk of a chunked body, in UTF-8. */
    public Script chunk(String data) {
        byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
        return send(join(ascii(Integer.toHexString(bytes.length) + "\r\n"), bytes, ascii("\r\n")));
    }

    /** The end of a chunked body, with trailer lines if any. */
    public Script lastChunk(String... trailerLines) {
        StringBuilder end = new StringBuilder("0\r\n");
        for (String line : trailerLines) {
            end.append(line).append("\r\n");
        }
        return send(end.append("\r\n").toString());
    }

    /** Sends these characters, one byte each, as one write. */
    public Script send(String bytes) {
        return send(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends bytes as one write. */
    public Script send(byte[] bytes) {
        return then(new Step.Send(bytes.clone()));
    }

    /** Sends bytes in segments of that size, pausing after each. */
    public Script send(byte[] bytes, int segment, Duration gap) {
        Script script = this;
        for (int at = 0; at < bytes.length; at += segment) {
            script = script.send(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + segment))).pause(gap);
        }
        return script;
    }

    /** The same bytes so far, each in a segment of its own with a pause after it. */
    public Script byteByByte(Duration gap) {
        Script script = new Script(List.of(), early, diesAt, diesByReset);
        for (Step step : steps) {
            script = step instanceof Step.Send send ? script.send(send.bytes(), 1, gap) : script.then(step);
        }
        return script;
    }

    /** Does nothing for so long. */
    public Script pause(Duration time) {
        return then(new Step.Pause(time.toNanos()));
    }

    /** Waits until {@link ScriptedBackend#release(String)} opens that gate; gates are closed at first. */
    public Script hold(String gate) {
        return then(new Step.Hold(gate));
    }

    /** Sends no more and never ends by itself. */
    public Script silence() {
        return then(new Step.Never());
    }

    /** Ends the connection with a FIN. */
    public Script fin() {
        return then(new Step.End(false));
    }

    /** Ends the connection with a RST. */
    public Script reset() {
        return then(new Step.End(true));
    }

    /** Begins at the request's head and does not wait for its body. */
    public Script early() {
        return new Script(steps, true, diesAt, diesByReset);
    }

    /** The connection ends after so many bytes of the answer, whatever follows: with a FIN, or with a RST. 0 is before any byte. */
    public Script dieAt(long bytes, boolean byReset) {
        return new Script(steps, early, bytes, byReset);
    }

    private Script then(Step step) {
        List<Step> longer = new ArrayList<>(steps);
        longer.add(step);
        return new Script(longer, early, diesAt, diesByReset);
    }

    List<Step> steps() {
        return steps;
    }

    boolean isEarly() {
        return early;
    }

    long diesAt() {
        return diesAt;
    }

    boolean diesByReset() {
        return diesByReset;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
