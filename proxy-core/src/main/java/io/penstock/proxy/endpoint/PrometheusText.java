package io.penstock.proxy.endpoint;

import io.netty.buffer.ByteBuf;
import io.penstock.proxy.config.EngineConfig;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads a few families out of a page in Prometheus or OpenMetrics text format while it comes in, in whatever pieces. It compares bytes and
 * skips every line that is not wanted. Nothing that a page holds makes it throw, and its memory is bounded: what cannot be read of a wanted
 * family spoils that family. One thread at a time; {@link #reset} before each page.
 */
public final class PrometheusText {

    /** A label's name is kept up to here, more than any that is wanted. */
    private static final int MOST_NAME = 1 << 10;
    /** A label's value is kept up to here. */
    private static final int MOST_VALUE = 16 << 10;

    private enum State { LINE_START, SKIP, NAME, LABELS, QUOTED, ESCAPED, BEFORE_VALUE, VALUE }

    private final EngineMetrics engine;
    private final NameFilter names;
    private final PageValues values;
    private final NumberText number = new NumberText();
    private final SmallText label = new SmallText(MOST_NAME);
    private final SmallText text = new SmallText(MOST_VALUE);

    private State state = State.LINE_START;
    /** Slots that this line may still belong to, a bit each. */
    private long matching;
    private int nameLength;
    /** Whether one of them looks at labels. */
    private boolean collecting;

    /** Reads what that engine's table names. */
    public PrometheusText(EngineConfig config) {
        this.engine = new EngineMetrics(config);
        this.names = new NameFilter(engine);
        this.values = new PageValues(engine);
    }

    EngineMetrics engine() {
        return engine;
    }

    /** What has been read so far. */
    PageValues values() {
        return values;
    }

    /** What the page says besides load: the same object as after the page before where nothing differs. */
    public EngineInfo info() {
        return values.info();
    }

    /** Forgets the page before. */
    public void reset() {
        state = State.LINE_START;
        values.reset();
    }

    /** Reads the next piece of the page; its indices stay. */
    public void feed(ByteBuf piece) {
        ByteBuffer bytes = piece.nioBuffer().order(ByteOrder.LITTLE_ENDIAN);
        int end = bytes.limit();
        for (int i = bytes.position(); i < end; i++) {
            if (state == State.SKIP || state == State.LINE_START && names.excludes(bytes, i)) {
                i = LineEnds.next(bytes, i);
                state = i == end ? State.SKIP : State.LINE_START;
            } else {
                state = next(bytes.get(i));
            }
        }
    }

    /** The page is over. A wanted line without its end was cut off. */
    public void finish() {
        boolean wanted = state == State.LABELS || state == State.QUOTED || state == State.ESCAPED || state == State.BEFORE_VALUE
                || state == State.VALUE;
        if (wanted) {
            values.spoil(matching);
        }
        state = State.LINE_START;
    }

    private State next(byte b) {
        return switch (state) {
            case LINE_START -> lineStart(b);
            case NAME -> name(b);
            case LABELS -> labels(b);
            case QUOTED -> quoted(b);
            case ESCAPED -> escaped(b);
            case BEFORE_VALUE -> beforeValue(b);
            case VALUE -> value(b);
            case SKIP -> b == '\n' ? State.LINE_START : State.SKIP;
        };
    }

    private State lineStart(byte b) {
        if (b == '\n' || isBlank(b)) {
            return State.LINE_START;
        }
        matching = engine.all();
        nameLength = 0;
        return name(b);
    }

    private State name(byte b) {
        if (b == '{' || isBlank(b) || b == '\n') {
            return endOfName(b);
        }
        for (long rest = matching; rest != 0; rest &= rest - 1) {
            int slot = Long.numberOfTrailingZeros(rest);
            byte[] name = engine.slot(slot).name();
            if (nameLength >= name.length || name[nameLength] != b) {
                matching &= ~(1L << slot);
            }
        }
        nameLength++;
        return matching == 0 ? State.SKIP : State.NAME;
    }

    private State endOfName(byte b) {
        for (long rest = matching; rest != 0; rest &= rest - 1) {
            int slot = Long.numberOfTrailingZeros(rest);
            if (engine.slot(slot).name().length != nameLength) {
                matching &= ~(1L << slot);
            }
        }
        if (matching == 0) {
            return b == '\n' ? State.LINE_START : State.SKIP;
        }
        number.clear();
        values.line(matching);
        collecting = (matching & engine.labelled()) != 0;
        if (b == '\n') {
            return spoil();
        }
        return b == '{' ? beginLabels() : State.BEFORE_VALUE;
    }

    private State beginLabels() {
        label.clear();
        return State.LABELS;
    }

    private State labels(byte b) {
        switch (b) {
            case '"' -> {
                text.clear();
                return State.QUOTED;
            }
            case '}' -> {
                return State.BEFORE_VALUE;
            }
            case '\n' -> {
                return spoil();
            }
            case ',', '{' -> label.clear();
            default -> {
                if (collecting && b != '=' && !isBlank(b)) {
                    label.add(b);
                }
            }
        }
        return State.LABELS;
    }

    private State quoted(byte b) {
        switch (b) {
            case '\\' -> {
                return State.ESCAPED;
            }
            case '"' -> {
                if (collecting) {
                    values.label(matching, label, text);
                    label.clear();
                }
                return State.LABELS;
            }
            case '\n' -> {
                return spoil();
            }
            default -> {
                if (collecting) {
                    text.add(b);
                }
                return State.QUOTED;
            }
        }
    }

    private State escaped(byte b) {
        if (b == '\n') {
            return spoil();
        }
        if (collecting) {
            text.add(b == 'n' ? (byte) '\n' : b);
        }
        return State.QUOTED;
    }

    private State beforeValue(byte b) {
        if (isBlank(b)) {
            return State.BEFORE_VALUE;
        }
        if (b == '{') {
            return beginLabels();
        }
        matching = values.selected(matching);
        if (matching == 0) {
            return b == '\n' ? State.LINE_START : State.SKIP;
        }
        return b == '\n' ? spoil() : value(b);
    }

    private State value(byte b) {
        if (b != '\n' && !isBlank(b)) {
            number.add(b);
            return State.VALUE;
        }
        values.value(matching, number.value());
        return b == '\n' ? State.LINE_START : State.SKIP;
    }

    /** The line of a wanted family ended too early. */
    private State spoil() {
        values.spoil(matching);
        return State.LINE_START;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t' || b == '\r';
    }
}
