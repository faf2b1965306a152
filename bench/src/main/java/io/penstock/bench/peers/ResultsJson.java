package io.penstock.bench.peers;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Results as JSON and back. A round without a value is null. No state; any thread.
 */
final class ResultsJson {

    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int FORMAT = 1;
    /** Significant digits: more would only make the file large. */
    private static final int DIGITS = 5;

    private ResultsJson() {
    }

    static String write(Results results) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("format", FORMAT);
            json.writeNumberField("rounds", results.rounds());
            json.writeObjectFieldStart("head");
            for (Map.Entry<String, String> each : results.head().entrySet()) {
                json.writeStringField(each.getKey(), each.getValue());
            }
            json.writeEndObject();
            strings(json, "notes", results.notes());
            strings(json, "failures", results.failures());
            json.writeObjectFieldStart("results");
            for (String target : results.targets()) {
                target(json, results, target);
            }
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("a string takes everything", e);
        }
        return text.append('\n').toString();
    }

    private static void strings(JsonGenerator json, String name, List<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    private static void target(JsonGenerator json, Results results, String target) throws IOException {
        // A line for each scenario: so that a diff of the kept file says what has changed.
        json.writeRaw("\n");
        json.writeObjectFieldStart(target);
        for (String scenario : results.scenarios(target)) {
            json.writeRaw("\n ");
            json.writeObjectFieldStart(scenario);
            for (Map.Entry<Metric, double[]> series : results.metrics(target, scenario).entrySet()) {
                json.writeArrayFieldStart(series.getKey().key());
                for (double value : series.getValue()) {
                    number(json, value);
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void number(JsonGenerator json, double value) throws IOException {
        if (Double.isFinite(value)) {
            json.writeNumber(new BigDecimal(value, new MathContext(DIGITS)).stripTrailingZeros().toPlainString());
        } else {
            json.writeNull();
        }
    }

    /** @throws IOException where the text is not what {@link #write} makes; the message says where */
    static Results read(String text) throws IOException {
        try (JsonParser json = FACTORY.createParser(text)) {
            expect(json, json.nextToken(), JsonToken.START_OBJECT);
            Object document = value(json);
            Map<String, Object> root = map(document, "the document");
            if (!(root.get("format") instanceof Number format) || format.intValue() != FORMAT) {
                throw new IOException("format: " + root.get("format") + " (expected: " + FORMAT + ")");
            }
            return results(root);
        }
    }

    private static Results results(Map<String, Object> root) throws IOException {
        if (!(root.get("rounds") instanceof Number rounds) || rounds.intValue() < 1) {
            throw new IOException("rounds: " + root.get("rounds") + " (expected: 1 or more)");
        }
        Results results = new Results(rounds.intValue());
        map(root.getOrDefault("head", Map.of()), "head").forEach((key, value) -> results.head().put(key, String.valueOf(value)));
        list(root.getOrDefault("notes", List.of()), "notes").forEach(note -> results.notes().add(String.valueOf(note)));
        list(root.getOrDefault("failures", List.of()), "failures").forEach(each -> results.failures().add(String.valueOf(each)));
        for (Map.Entry<String, Object> target : map(root.get("results"), "results").entrySet()) {
            for (Map.Entry<String, Object> scenario : map(target.getValue(), target.getKey()).entrySet()) {
                scenario(results, target.getKey(), scenario.getKey(), map(scenario.getValue(), scenario.getKey()));
            }
        }
        return results;
    }

    private static void scenario(Results results, String target, String scenario, Map<String, Object> metrics) throws IOException {
        for (Map.Entry<String, Object> each : metrics.entrySet()) {
            String name = target + "." + scenario + "." + each.getKey();
            Metric metric = Metric.byKey(each.getKey()).orElseThrow(() -> new IOException(name + ": unknown metric"));
            List<Object> series = list(each.getValue(), name);
            if (series.size() != results.rounds()) {
                throw new IOException(name + ": " + series.size() + " values (expected: " + results.rounds() + ")");
            }
            for (int round = 0; round < series.size(); round++) {
                Object value = series.get(round);
                results.put(target, scenario, round, Map.of(metric, value instanceof Number number ? number.doubleValue() : Double.NaN));
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(@Nullable Object value, String name) throws IOException {
        if (value instanceof Map<?, ?>) {
            return (Map<String, Object>) value;
        }
        throw new IOException(name + ": no object");
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(@Nullable Object value, String name) throws IOException {
        if (value instanceof List<?>) {
            return (List<Object>) value;
        }
        throw new IOException(name + ": no list");
    }

    private static Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> object = new LinkedHashMap<>();
                while (json.nextToken() != JsonToken.END_OBJECT) {
                    String name = json.currentName();
                    json.nextToken();
                    object.put(name, value(json));
                }
                yield object;
            }
            case START_ARRAY -> {
                List<Object> array = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    array.add(value(json));
                }
                yield array;
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            default -> json.getText();
        };
    }

    private static void expect(JsonParser json, @Nullable JsonToken found, JsonToken expected) throws IOException {
        if (found != expected) {
            throw new IOException(json.currentLocation() + ": " + found + " (expected: " + expected + ")");
        }
    }
}
