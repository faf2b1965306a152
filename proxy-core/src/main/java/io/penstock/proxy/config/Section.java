package io.penstock.proxy.config;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The keys of one map; remembers which were asked for, since every other is an error. One thread. */
final class Section {

    private final Field owner;
    private final YamlValue.Mapping mapping;
    private final Set<String> known = new LinkedHashSet<>();

    Section(Field owner, YamlValue.Mapping mapping) {
        this.owner = owner;
        this.mapping = mapping;
    }

    Location at() {
        return owner.at();
    }

    String path() {
        return owner.path();
    }

    Reading reading() {
        return owner.reading();
    }

    /** The value of a key, which may be absent. */
    Field field(String key) {
        known.add(key);
        reading().ask(pathOf(key));
        YamlValue.Entry entry = mapping.entries().get(key);
        return new Field(reading(), pathOf(key), keyAt(key), entry == null ? null : entry.value());
    }

    /** The value of a key, whose absence is reported. */
    Field required(String key, String expected) {
        Field field = field(key);
        if (!field.present()) {
            field.error("missing (expected: " + expected + ')');
        }
        return field;
    }

    /** Whether a key is written, even with a null value. */
    boolean has(String key) {
        return mapping.entries().containsKey(key);
    }

    /** Where a key stands; the map's own place when it does not. */
    Location keyAt(String key) {
        YamlValue.Entry entry = mapping.entries().get(key);
        return entry == null ? at() : entry.keyAt();
    }

    /** All keys, of a map whose keys are the user's own. */
    Map<String, Field> all() {
        Map<String, Field> fields = new LinkedHashMap<>();
        mapping.entries().forEach((key, entry) -> {
            known.add(key);
            fields.put(key, new Field(reading(), pathOf(key), entry.keyAt(), entry.value()));
        });
        return fields;
    }

    void refuseUnknownKeys() {
        mapping.entries().forEach((key, entry) -> {
            if (!known.contains(key)) {
                reading().error(entry.keyAt(), pathOf(Text.shown(key)) + ": unknown key " + Text.hint(key, known));
            }
        });
    }

    private String pathOf(String key) {
        return path().isEmpty() ? key : path() + '.' + key;
    }
}
