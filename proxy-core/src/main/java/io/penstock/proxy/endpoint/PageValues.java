package io.penstock.proxy.endpoint;

import io.penstock.proxy.endpoint.EngineInfo.Lora;
import io.penstock.proxy.endpoint.EngineMetrics.Selector;
import io.penstock.proxy.endpoint.EngineMetrics.Slot;
import io.penstock.proxy.endpoint.EngineMetrics.Use;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the values of one page by slot: selects series by their labels, sums, takes the highest, the newest or the first, and makes
 * nothing anew that is as it was on the page before. One thread at a time; {@link #reset} before each page.
 */
final class PageValues {

    /** KV usage above 1 by no more than rounding is 1. */
    private static final double ROUNDING = 1.001;
    /** A label's value is kept up to here: some hundred adapters. */
    private static final int MOST_TEXT = 16 << 10;
    /** Adapters that are kept of one list. */
    private static final int MOST_ADAPTERS = 1000;
    private static final Pattern COMMA = Pattern.compile(",");

    private final EngineMetrics engine;
    private final int[] series;
    private final boolean[] spoilt;
    private final double[] values;
    /** The selectors of a slot that this line has met, a bit each. */
    private final int[] met;
    /** Labels of the line that is being read, and of the series that counts, by slot. */
    private final SmallText[][] seen;
    private final SmallText[][] kept;
    private EngineInfo info = EngineInfo.NONE;
    /** The labels that {@link #info}'s adapters were made of. */
    private final SmallText[] loraWas = texts(3);

    PageValues(EngineMetrics engine) {
        this.engine = engine;
        int size = engine.size();
        series = new int[size];
        spoilt = new boolean[size];
        values = new double[size];
        met = new int[size];
        seen = new SmallText[size][];
        kept = new SmallText[size][];
        for (int i = 0; i < size; i++) {
            seen[i] = texts(engine.slot(i).captured().length);
            kept[i] = texts(engine.slot(i).captured().length);
        }
    }

    private static SmallText[] texts(int count) {
        SmallText[] texts = new SmallText[count];
        Arrays.setAll(texts, i -> new SmallText(MOST_TEXT));
        return texts;
    }

    void reset() {
        Arrays.fill(series, 0);
        Arrays.fill(spoilt, false);
        Arrays.fill(values, 0);
    }

    /** A line begins whose name is that of these slots. */
    void line(long slots) {
        for (long rest = slots; rest != 0; rest &= rest - 1) {
            int slot = Long.numberOfTrailingZeros(rest);
            met[slot] = 0;
            for (SmallText text : seen[slot]) {
                text.clear();
            }
        }
    }

    /** The line has this label. */
    void label(long slots, SmallText name, SmallText value) {
        for (long rest = slots & engine.labelled(); rest != 0; rest &= rest - 1) {
            int index = Long.numberOfTrailingZeros(rest);
            Slot slot = engine.slot(index);
            Selector[] selectors = slot.selectors();
            for (int i = 0; i < selectors.length; i++) {
                if (name.equalTo(selectors[i].label()) && value.equalTo(selectors[i].value())) {
                    met[index] |= 1 << i;
                }
            }
            byte[][] captured = slot.captured();
            for (int i = 0; i < captured.length; i++) {
                if (name.equalTo(captured[i])) {
                    seen[index][i].copy(value);
                }
            }
        }
    }

    /** Which of the slots the line belongs to, after its last label. */
    long selected(long slots) {
        long selected = slots;
        for (long rest = slots & engine.labelled(); rest != 0; rest &= rest - 1) {
            int slot = Long.numberOfTrailingZeros(rest);
            if (met[slot] != (1 << engine.slot(slot).selectors().length) - 1) {
                selected &= ~(1L << slot);
            }
        }
        return selected;
    }

    /** The line's value. */
    void value(long slots, double value) {
        for (long rest = slots; rest != 0; rest &= rest - 1) {
            int slot = Long.numberOfTrailingZeros(rest);
            Use use = engine.slot(slot).use();
            boolean finite = value - value == 0;
            boolean readable = finite && (value >= 0 || use == Use.CUSTOM) && (use != Use.KV_USAGE || value <= ROUNDING);
            if (readable) {
                take(slot, use, value);
            } else {
                spoilt[slot] = true;
            }
        }
    }

    private void take(int slot, Use use, double value) {
        boolean first = series[slot]++ == 0;
        switch (use) {
            case WAITING, RUNNING -> values[slot] += value;
            case KV_USAGE -> values[slot] = Math.max(values[slot], Math.min(1.0, value));
            case LORA -> {
                if (first || value > values[slot]) {
                    keep(slot, value);
                }
            }
            default -> {
                if (first) {
                    keep(slot, value);
                }
            }
        }
    }

    private void keep(int slot, double value) {
        values[slot] = value;
        for (int i = 0; i < seen[slot].length; i++) {
            kept[slot][i].copy(seen[slot][i]);
        }
    }

    /** A line of these slots was broken. */
    void spoil(long slots) {
        for (long rest = slots; rest != 0; rest &= rest - 1) {
            spoilt[Long.numberOfTrailingZeros(rest)] = true;
        }
    }

    /** Whether the slot's series were there and could all be read. */
    boolean has(int slot) {
        return slot >= 0 && series[slot] > 0 && !spoilt[slot];
    }

    /** Whether the page lacks what it should have: an optional family may be missing, but not be broken. */
    boolean failed(int slot) {
        return spoilt[slot] || series[slot] == 0 && !engine.slot(slot).optional();
    }

    /** The slot's value, only where {@link #has} is true. */
    double value(int slot) {
        return values[slot];
    }

    /** What the page says besides load: the same object as after the page before where nothing differs. */
    EngineInfo info() {
        EngineInfo now = new EngineInfo(lora(), geometry(Use.BLOCK_SIZE, 0), geometry(Use.NUM_BLOCKS, 1), attributes());
        info = now.equals(info) ? info : now;
        return info;
    }

    private @Nullable Lora lora() {
        int slot = engine.indexOf(Use.LORA);
        if (!has(slot)) {
            return null;
        }
        SmallText[] labels = kept[slot];
        Lora before = info.lora();
        if (before != null && labels[0].equalTo(loraWas[0]) && labels[1].equalTo(loraWas[1]) && labels[2].equalTo(loraWas[2])) {
            return before;
        }
        for (int i = 0; i < labels.length; i++) {
            loraWas[i].copy(labels[i]);
        }
        Long max = whole(labels[2]);
        return new Lora(adapters(labels[0]), adapters(labels[1]), max == null || max > Integer.MAX_VALUE ? null : max.intValue());
    }

    private static List<String> adapters(SmallText list) {
        return COMMA.splitAsStream(list.toString()).map(String::strip).filter(name -> !name.isEmpty()).distinct().limit(MOST_ADAPTERS)
                .toList();
    }

    /** From a gauge where the engine has one, else from the label of the info series. */
    private @Nullable Long geometry(Use gauge, int label) {
        int slot = engine.indexOf(gauge);
        if (slot >= 0) {
            return has(slot) ? (Long) (long) values[slot] : null;
        }
        int infoSlot = engine.indexOf(Use.CACHE_INFO);
        return has(infoSlot) ? whole(kept[infoSlot][label]) : null;
    }

    private static @Nullable Long whole(SmallText text) {
        try {
            Long number = text.isEmpty() || text.overflowed() ? null : (Long) Long.parseLong(text.toString(), 10);
            return number == null || number < 0 ? null : number;
        } catch (NumberFormatException ignored) {
            // such as vLLM's "None"
            return null;
        }
    }

    private Map<String, Double> attributes() {
        int slot = engine.indexOf(Use.CUSTOM);
        if (slot < 0) {
            return Map.of();
        }
        Map<String, Double> attributes = new LinkedHashMap<>();
        for (; slot < engine.size(); slot++) {
            if (has(slot)) {
                attributes.put(engine.slot(slot).key(), values[slot]);
            }
        }
        return attributes;
    }
}
