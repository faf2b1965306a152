package io.penstock.proxy.endpoint;

import io.netty.buffer.ByteBuf;

/**
 * Reads a few families out of a page in Prometheus text format while it comes in, in whatever pieces. It compares bytes, skips every line
 * that is not wanted, and allocates nothing for a page but for numbers of unusual form. Nothing that a page holds makes it throw: what
 * cannot be read of a wanted family spoils that family. One thread at a time; {@link #reset} before each page.
 */
final class PrometheusText {

    private static final int ALL = (1 << EngineMetrics.FIELDS) - 1;
    /** KV usage above 1 by no more than rounding is 1. */
    private static final double ROUNDING = 1.001;

    private enum State { LINE_START, SKIP, NAME, LABELS, QUOTED, ESCAPED, BEFORE_VALUE, VALUE }

    private final EngineMetrics engine;
    private final NumberText number = new NumberText();
    private final int[] series = new int[EngineMetrics.FIELDS];
    private final boolean[] spoilt = new boolean[EngineMetrics.FIELDS];
    private final double[] values = new double[EngineMetrics.FIELDS];

    private State state = State.LINE_START;
    /** Families that the name of this line may still be, a bit each. */
    private int matching;
    private int nameLength;
    /** The wanted family that this line belongs to. */
    private int field;

    PrometheusText(EngineMetrics engine) {
        this.engine = engine;
    }

    EngineMetrics engine() {
        return engine;
    }

    void reset() {
        state = State.LINE_START;
        for (int i = 0; i < EngineMetrics.FIELDS; i++) {
            series[i] = 0;
            spoilt[i] = false;
            values[i] = 0;
        }
    }

    /** Reads the next piece of the page; its indices stay. */
    void feed(ByteBuf piece) {
        int end = piece.writerIndex();
        for (int i = piece.readerIndex(); i < end; i++) {
            if (state == State.SKIP) {
                i = piece.indexOf(i, end, (byte) '\n');
                if (i < 0) {
                    return;
                }
                state = State.LINE_START;
                continue;
            }
            state = next(piece.getByte(i));
        }
    }

    /** The page is over. A wanted line without its end was cut off. */
    void finish() {
        boolean wanted = state == State.LABELS || state == State.QUOTED || state == State.ESCAPED || state == State.BEFORE_VALUE
                || state == State.VALUE;
        if (wanted) {
            spoilt[field] = true;
        }
        state = State.LINE_START;
    }

    /** Whether the family was there and all of its series could be read. */
    boolean has(int wanted) {
        return series[wanted] > 0 && !spoilt[wanted];
    }

    /** The family's value, only where {@link #has} is true: a sum, or the highest for KV usage. */
    double value(int wanted) {
        return values[wanted];
    }

    private State next(byte b) {
        return switch (state) {
            case LINE_START -> lineStart(b);
            case NAME -> name(b);
            case LABELS -> labels(b);
            case QUOTED -> quoted(b);
            case ESCAPED -> b == '\n' ? spoil() : State.QUOTED;
            case BEFORE_VALUE -> beforeValue(b);
            case VALUE -> value(b);
            case SKIP -> b == '\n' ? State.LINE_START : State.SKIP;
        };
    }

    private State lineStart(byte b) {
        if (b == '\n' || isBlank(b)) {
            return State.LINE_START;
        }
        matching = ALL;
        nameLength = 0;
        return name(b);
    }

    private State name(byte b) {
        if (b == '{' || isBlank(b) || b == '\n') {
            return endOfName(b);
        }
        for (int i = 0; i < EngineMetrics.FIELDS; i++) {
            if (!engine.hasAt(i, nameLength, b)) {
                matching &= ~(1 << i);
            }
        }
        nameLength++;
        return matching == 0 ? State.SKIP : State.NAME;
    }

    private State endOfName(byte b) {
        for (int i = 0; i < EngineMetrics.FIELDS; i++) {
            if ((matching & 1 << i) != 0 && engine.length(i) == nameLength) {
                field = i;
                number.clear();
                if (b == '\n') {
                    return spoil();
                }
                return b == '{' ? State.LABELS : State.BEFORE_VALUE;
            }
        }
        return b == '\n' ? State.LINE_START : State.SKIP;
    }

    private State labels(byte b) {
        return switch (b) {
            case '"' -> State.QUOTED;
            case '}' -> State.BEFORE_VALUE;
            case '\n' -> spoil();
            default -> State.LABELS;
        };
    }

    private State quoted(byte b) {
        return switch (b) {
            case '\\' -> State.ESCAPED;
            case '"' -> State.LABELS;
            case '\n' -> spoil();
            default -> State.QUOTED;
        };
    }

    private State beforeValue(byte b) {
        if (isBlank(b)) {
            return State.BEFORE_VALUE;
        }
        if (b == '{') {
            return State.LABELS;
        }
        return b == '\n' ? spoil() : value(b);
    }

    private State value(byte b) {
        if (b != '\n' && !isBlank(b)) {
            number.add(b);
            return State.VALUE;
        }
        count(number.value());
        return b == '\n' ? State.LINE_START : State.SKIP;
    }

    private void count(double value) {
        boolean readable = value >= 0 && value != Double.POSITIVE_INFINITY && (field != EngineMetrics.KV_USAGE || value <= ROUNDING);
        if (!readable) {
            spoilt[field] = true;
            return;
        }
        series[field]++;
        values[field] = field == EngineMetrics.KV_USAGE ? Math.max(values[field], Math.min(1.0, value)) : values[field] + value;
    }

    /** The line of a wanted family ended too early. */
    private State spoil() {
        spoilt[field] = true;
        return State.LINE_START;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t' || b == '\r';
    }
}
