package io.penstock.proxy;

import io.penstock.flow.FlowController;
import io.penstock.flow.PoolView;
import io.penstock.flow.engine.Collaborators;
import io.penstock.flow.engine.FlowControllers;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.FakePlacement;
import io.penstock.flow.testkit.ManualClock;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import io.penstock.proxy.config.ConfigLoader;
import io.penstock.proxy.config.LoadOptions;
import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.PickerSettings;
import io.penstock.proxy.config.Source;
import io.penstock.proxy.metrics.MeterFlowEvents;
import io.penstock.proxy.metrics.MetricsExport;
import io.penstock.proxy.metrics.PoolMeters;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Flow control as the proxy makes it of a document, on a pool of fake endpoints: the loader, the detectors, the engine and the metrics are
 * the real ones.
 */
final class GatedPool implements AutoCloseable {

    final ManualClock clock = new ManualClock();
    final FlowController flow;
    private final MetricsExport export = new MetricsExport(false);
    private volatile PoolView pool = PoolView.EMPTY;

    GatedPool(String yaml) {
        PickerSettings settings = settings(yaml);
        MeterFlowEvents events = new MeterFlowEvents(export, "pool", clock);
        PoolMeters meters = new PoolMeters(export, "pool", List::of, Duration.ofSeconds(2));
        Detection detection = Detection.of(settings, new DetectorSeries(meters, events));
        FakePlacement placement = new FakePlacement(() -> pool);
        flow = FlowControllers.create(settings.flowControl(), Collaborators.of(detection.byDefault(), placement, () -> pool, clock)
                .withStages(detection.stages()).withEvents(events));
    }

    static PickerSettings settings(String yaml) {
        LoadResult loaded = ConfigLoader.load(List.of(Source.text(yaml)), LoadOptions.none());
        if (loaded.settings() == null || !loaded.problems().isEmpty()) {
            throw new AssertionError(yaml + loaded.problems());
        }
        return loaded.settings().picker();
    }

    void members(FakeEndpoint... endpoints) {
        pool = FakeEndpoint.pool(endpoints);
    }

    /** Whether a request that comes now goes on at once. */
    boolean dispatches() {
        RecordingListener heard = new RecordingListener();
        flow.submit(TestRequest.in(0), heard, Runnable::run);
        return heard.dispatched();
    }

    /** The series of a family as a scrape shows them, each as its labels and its value, without {@code inference_pool}. */
    List<String> series(String family) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            export.scrape(null, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith(family + '{'))
                .map(line -> line.substring(family.length()))
                .map(line -> line.replace(",inference_pool=\"pool\"", "").replace("inference_pool=\"pool\",", "")).toList();
    }

    @Override
    public void close() {
        flow.shutdown();
        export.close();
    }
}
