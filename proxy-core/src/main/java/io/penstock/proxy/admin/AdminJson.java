package io.penstock.proxy.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.SaturationView;
import io.penstock.proxy.endpoint.EngineInfo;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes the JSON of contract section 5: what has no limit or is not known is null, never a magic number. Any thread. */
final class AdminJson {

    private static final JsonFactory JSON = new JsonFactory();

    private AdminJson() {
    }

    static void bands(OutputStream out, SaturationView saturation, List<BandView> bands) throws IOException {
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeObjectFieldStart("saturation");
            number(json, "prefill", saturation.prefill());
            number(json, "decode", saturation.decode());
            number(json, "effective", saturation.effective());
            json.writeEndObject();
            json.writeArrayFieldStart("bands");
            for (BandView band : bands) {
                band(json, band);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private static void band(JsonGenerator json, BandView band) throws IOException {
        CapacitySnapshot capacity = new CapacitySnapshot(band.maxRequests(), band.requests());
        json.writeStartObject();
        json.writeNumberField("priority", band.priority());
        limit(json, "maxRequests", band.maxRequests());
        json.writeNumberField("requests", band.requests());
        limit(json, "headroomRequests", capacity.bounded() ? capacity.headroomRequests() : CapacitySnapshot.UNBOUNDED);
        limit(json, "maxBytes", band.maxBytes());
        json.writeNumberField("bytes", band.bytes());
        json.writeNumberField("dispatchedTotal", band.dispatchedTotal());
        json.writeNumberField("rejectedTotal", band.rejectedTotal());
        json.writeNumberField("oldestWaitMs", TimeUnit.NANOSECONDS.toMillis(band.oldestWaitNanos()));
        json.writeNumberField("flowCount", band.flowCount());
        json.writeArrayFieldStart("flows");
        for (BandView.FlowView flow : band.flows()) {
            json.writeStartObject();
            json.writeStringField("fairnessId", flow.fairnessId());
            json.writeNumberField("requests", flow.requests());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    static void endpoints(OutputStream out, List<EndpointRow> rows) throws IOException {
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeArrayFieldStart("endpoints");
            for (EndpointRow row : rows) {
                endpoint(json, row);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private static void endpoint(JsonGenerator json, EndpointRow row) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", row.name());
        json.writeStringField("address", row.address());
        json.writeObjectFieldStart("labels");
        for (Map.Entry<String, String> label : row.labels().entrySet()) {
            json.writeStringField(label.getKey(), label.getValue());
        }
        json.writeEndObject();
        json.writeStringField("role", row.role());
        json.writeNumberField("inFlightRequests", row.inFlightRequests());
        json.writeNumberField("inFlightTokens", row.inFlightTokens());
        json.writeFieldName("lastScrape");
        scrape(json, row);
        json.writeStringField("health", row.health());
        engine(json, row.engine());
        json.writeEndObject();
    }

    private static void scrape(JsonGenerator json, EndpointRow row) throws IOException {
        if (row.lastScrapeAgeMs() == null) {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        json.writeNumberField("ageMs", row.lastScrapeAgeMs());
        number(json, "waiting", row.waiting());
        number(json, "running", row.running());
        number(json, "kvCacheUsage", row.kvCacheUsage());
        json.writeEndObject();
    }

    /** Only what the engine's page says: most say none of it. */
    private static void engine(JsonGenerator json, @Nullable EngineInfo engine) throws IOException {
        if (engine == null || engine.equals(EngineInfo.NONE)) {
            return;
        }
        json.writeObjectFieldStart("engine");
        EngineInfo.Lora lora = engine.lora();
        if (lora != null) {
            json.writeObjectFieldStart("lora");
            names(json, "running", lora.running());
            names(json, "waiting", lora.waiting());
            number(json, "max", lora.max());
            json.writeEndObject();
        }
        if (engine.cacheBlockSize() != null) {
            json.writeNumberField("cacheBlockSize", engine.cacheBlockSize());
        }
        if (engine.cacheNumBlocks() != null) {
            json.writeNumberField("cacheNumBlocks", engine.cacheNumBlocks());
        }
        if (!engine.attributes().isEmpty()) {
            json.writeObjectFieldStart("attributes");
            for (Map.Entry<String, Double> attribute : new TreeMap<>(engine.attributes()).entrySet()) {
                number(json, attribute.getKey(), attribute.getValue());
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void names(JsonGenerator json, String field, List<String> names) throws IOException {
        json.writeArrayFieldStart(field);
        for (String name : names) {
            json.writeString(name);
        }
        json.writeEndArray();
    }

    private static void limit(JsonGenerator json, String name, long value) throws IOException {
        if (value == CapacitySnapshot.UNBOUNDED) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, value);
        }
    }

    /** JSON has no NaN and no infinity. */
    private static void number(JsonGenerator json, String name, @Nullable Double value) throws IOException {
        if (value == null || !Double.isFinite(value)) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, value);
        }
    }

    private static void number(JsonGenerator json, String name, @Nullable Integer value) throws IOException {
        if (value == null) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, value);
        }
    }
}
