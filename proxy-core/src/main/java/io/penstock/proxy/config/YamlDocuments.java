package io.penstock.proxy.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Turns a YAML text into values with places, document by document. Reports duplicate keys, merge keys, tags, syntax errors, and what is too
 * deep or, with its aliases written out, too large; never throws for what a text may hold. One thread.
 */
final class YamlDocuments {

    /** No real document comes near it; the stack of this reader does not either. */
    static final int DEEPEST = 64;
    /** Values of a document with its aliases written out. */
    static final int MOST_VALUES = 100_000;
    private static final String TEXT_TAG = "tag:yaml.org,2002:str";

    private final Reading reading;
    private final int source;
    private final String file;
    private final String text;
    private final Iterator<Event> events;
    private final Map<String, YamlValue> anchors = new HashMap<>();

    private YamlDocuments(Reading reading, int source, String file, String text) {
        this.reading = reading;
        this.source = source;
        this.file = file;
        this.text = text;
        LoadSettings settings = LoadSettings.builder().setLabel(file).setUseMarks(true).setCodePointLimit(Source.MOST_BYTES).build();
        this.events = new Parse(settings).parseString(text).iterator();
    }

    /** The documents up to the first that cannot be read; empty ones are left out. */
    static List<YamlValue> read(Reading reading, int source, String file, String text) {
        List<YamlValue> documents = new ArrayList<>();
        YamlDocuments reader = new YamlDocuments(reading, source, file, text);
        try {
            reader.stream(documents);
        } catch (MarkedYamlEngineException e) {
            reading.error(reader.location(e.getProblemMark().or(e::getContextMark)), "not YAML: " + oneLine(e));
        } catch (ReaderException e) {
            reading.error(reader.location(e.getPosition()), "not YAML: character U+%04X is not allowed".formatted(e.getCodePoint()));
        } catch (YamlEngineException e) {
            reading.error(new Location(source, file, 1, 1), "not YAML: " + e.getMessage());
        } catch (RefusedException e) {
            reading.error(e.at, e.getMessage());
        }
        return documents;
    }

    private void stream(List<YamlValue> documents) {
        while (events.hasNext()) {
            Event event = events.next();
            if (event.getEventId() == Event.ID.DocumentStart) {
                anchors.clear();
                YamlValue root = value(events.next(), 0);
                if (!(root instanceof YamlValue.Scalar scalar && scalar.kind() == ScalarKind.NULL)) {
                    documents.add(root);
                }
            }
        }
    }

    private YamlValue value(Event event, int depth) {
        Location at = location(event.getStartMark());
        if (depth > DEEPEST) {
            throw new RefusedException(at, "nested too deeply (expected: at most " + DEEPEST + " levels)");
        }
        if (event instanceof AliasEvent alias) {
            YamlValue named = anchors.get(alias.getAlias().getValue());
            if (named == null) {
                throw new RefusedException(at, Text.shown("*" + alias.getAlias()) + ": alias of nothing (expected: an anchor before it)");
            }
            return named;
        }
        YamlValue value;
        if (event instanceof ScalarEvent scalar) {
            value = scalar(at, scalar);
        } else if (event instanceof CollectionStartEvent start) {
            start.getTag().ifPresent(tag -> refuseTag(at, tag));
            value = event instanceof MappingStartEvent ? mapping(at, depth) : sequence(at, depth);
        } else {
            throw new RefusedException(at, "not YAML: a value is missing");
        }
        ((NodeEvent) event).getAnchor().ifPresent(anchor -> anchors.put(anchor.getValue(), value));
        return value;
    }

    private YamlValue scalar(Location at, ScalarEvent event) {
        Optional<String> tag = event.getTag();
        boolean isText = tag.isPresent() && tag.get().equals(TEXT_TAG);
        if (tag.isPresent() && !isText && !tag.get().equals("!")) {
            refuseTag(at, tag.get());
        }
        return new YamlValue.Scalar(at, event.getValue(), event.isPlain() && tag.isEmpty());
    }

    private void refuseTag(Location at, String tag) {
        if (!tag.equals("tag:yaml.org,2002:map") && !tag.equals("tag:yaml.org,2002:seq")) {
            reading.error(at, tag + ": tags are not supported (expected: a plain value)");
        }
    }

    private YamlValue sequence(Location at, int depth) {
        List<YamlValue> items = new ArrayList<>();
        int weight = 1;
        for (Event event = events.next(); event.getEventId() != Event.ID.SequenceEnd; event = events.next()) {
            YamlValue item = value(event, depth + 1);
            weight = add(at, weight, item);
            items.add(item);
        }
        return new YamlValue.Sequence(at, List.copyOf(items), weight);
    }

    private YamlValue mapping(Location at, int depth) {
        Map<String, YamlValue.Entry> entries = new LinkedHashMap<>();
        int weight = 1;
        for (Event event = events.next(); event.getEventId() != Event.ID.MappingEnd; event = events.next()) {
            YamlValue key = value(event, depth + 1);
            YamlValue value = value(events.next(), depth + 1);
            weight = add(at, weight, value);
            if (key instanceof YamlValue.Scalar scalar) {
                put(entries, scalar, value);
            } else {
                reading.error(key.at(), "a list or map as a key (expected: a name)");
            }
        }
        return new YamlValue.Mapping(at, entries, weight);
    }

    private void put(Map<String, YamlValue.Entry> entries, YamlValue.Scalar key, YamlValue value) {
        if (key.plain() && key.text().equals("<<")) {
            reading.error(key.at(), "<<: merge keys are not supported (expected: the keys written out)");
            return;
        }
        YamlValue.Entry first = entries.putIfAbsent(key.text(), new YamlValue.Entry(key.at(), value));
        if (first != null) {
            reading.error(key.at(), Text.shown(key.text()) + ": key given twice (first at " + first.keyAt() + ")");
        }
    }

    private static int add(Location at, int weight, YamlValue value) {
        int sum = weight + value.weight();
        if (sum > MOST_VALUES) {
            throw new RefusedException(at, "too large with its aliases written out (expected: at most " + MOST_VALUES + " values)");
        }
        return sum;
    }

    private Location location(Optional<Mark> mark) {
        return mark.map(m -> new Location(source, file, m.getLine() + 1, m.getColumn() + 1)).orElse(new Location(source, file, 1, 1));
    }

    /** Of a code point counted from the start of the text. */
    private Location location(int position) {
        int line = 1;
        int column = 1;
        int seen = 0;
        for (int i = 0; i < text.length() && seen < position; seen++) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            line += point == '\n' ? 1 : 0;
            column = point == '\n' ? 1 : column + 1;
        }
        return new Location(source, file, line, column);
    }

    private static String oneLine(MarkedYamlEngineException e) {
        @Nullable String context = e.getContext();
        String problem = e.getProblem() == null ? "malformed" : e.getProblem();
        return Text.shown(context == null ? problem : context + ", " + problem, 200);
    }

    /** Ends the reading of a source; caught in {@link #read}. */
    private static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Location at;

        RefusedException(Location at, String message) {
            super(message, null, false, false);
            this.at = at;
        }
    }
}
