package io.penstock.proxy.endpoint;

import java.nio.ByteBuffer;

/**
 * Tells at a glance that a line is none of the wanted ones, which almost every line of a page is: eight bytes of its name are looked up in
 * tables of what the wanted names have there. Immutable.
 */
final class NameFilter {

    private static final int WINDOW = 8;
    /** Names tell themselves apart before this index: what engines' metrics begin with is short. */
    private static final int LAST = 12;

    /** Where the eight bytes begin, or -1 when a wanted name is too short for them. */
    private final int from;
    /** For each of the eight places, the bytes that some wanted name has there. */
    private final boolean[] allowed = new boolean[WINDOW << Byte.SIZE];

    NameFilter(EngineMetrics engine) {
        int shortest = LAST;
        for (int slot = 0; slot < engine.size(); slot++) {
            shortest = Math.min(shortest, engine.slot(slot).name().length);
        }
        from = shortest < WINDOW ? -1 : shortest - WINDOW;
        for (int slot = 0; from >= 0 && slot < engine.size(); slot++) {
            for (int place = 0; place < WINDOW; place++) {
                allowed[place << Byte.SIZE | engine.slot(slot).name()[from + place] & 0xff] = true;
            }
        }
    }

    /**
     * Whether the line that begins there is surely not wanted; false means nothing. Where the line is shorter than what is looked at, what
     * follows it is looked at too, which does no harm: such a line has no wanted name.
     *
     * @param page in little-endian order
     */
    boolean excludes(ByteBuffer page, int lineStart) {
        if (from < 0 || lineStart + from + WINDOW > page.limit() || isBlank(page.get(lineStart))) {
            return false;
        }
        long window = page.getLong(lineStart + from);
        for (int place = WINDOW - 1; place >= 0; place--) {
            if (!allowed[place << Byte.SIZE | (int) (window >>> place * Byte.SIZE & 0xff)]) {
                return true;
            }
        }
        return false;
    }

    /** A name may be indented. */
    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t' || b == '\r';
    }
}
