package io.penstock.bench.headroom;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import io.penstock.flow.BandView;
import io.penstock.flow.engine.FlowHooks;
import io.penstock.proxy.Proxy;
import io.penstock.proxy.ProxyOptions;
import io.penstock.proxy.StartException;
import io.penstock.proxy.config.ConfigLoader;
import io.penstock.proxy.config.LoadOptions;
import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.config.Source;
import io.penstock.proxy.request.HeaderNames;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Starts each {@link Stage} when it is first asked for, and keeps it warm. Values that the product does not send are noted by the model
 * servers under a name of their own, which passes the product like any backend header; the product has no switch for them. One thread.
 */
final class Stages implements Closeable {

    /** What a dispatcher reads in an ablation instead of the product's header. */
    static final AsciiString NOTED = AsciiString.cached("x-bench-headroom");
    /** What a spoofing backend claims. */
    static final int SPOOF = 500;
    /** Limit of the band that fallback requests asked for, and that has nobody waiting. */
    static final int REQUESTED_BAND = 64;
    static final int[] BANDS = {16, 64, 5000};

    private final Bench bench;
    private final Path root;
    private final Map<Stage, WireSettings> wires = new EnumMap<>(Stage.class);
    private final Map<Stage, Consumer<HttpHeaders>> notes = new EnumMap<>(Stage.class);
    private final List<Closeable> started = new ArrayList<>();
    private int band;

    Stages(Bench bench, Path root) {
        this.bench = bench;
        this.root = root;
    }

    /** Makes a stage ready for cells with this batch band, and says how to reach it. */
    WireSettings ready(Stage stage, int batchBand) throws IOException {
        band = batchBand;
        if (!wires.containsKey(stage)) {
            start(stage);
        }
        bench.pool().atDispatch(notes.get(stage));
        return wires.get(stage);
    }

    private void start(Stage stage) throws IOException {
        switch (stage) {
            case PROCESS, SPOOFED -> process();
            case SAMPLED -> sampled();
            case FALLBACK -> fallback();
            default -> throw new IllegalStateException("stage: " + stage + " (expected: one of those above)");
        }
    }

    private String documents() {
        return Documents.yaml(bench.pool().ports(), bench.pool().slotsEach(), BANDS);
    }

    private void process() throws IOException {
        ProxyProcess process = ProxyProcess.start(root, documents());
        started.add(process);
        WireSettings settings = WireSettings.to(process::address, bench.transport());
        wires.put(Stage.PROCESS, settings);
        wires.put(Stage.SPOOFED, settings);
        notes.put(Stage.PROCESS, headers -> { });
        notes.put(Stage.SPOOFED, headers -> headers.setInt(HeaderNames.HEADROOM, SPOOF).setInt(NOTED, SPOOF));
    }

    private void sampled() throws IOException {
        Proxy proxy = inside(Stage.SAMPLED, documents(), FlowHooks.NONE);
        notes.put(Stage.SAMPLED, headers -> note(proxy, headers));
    }

    private void note(Proxy proxy, HttpHeaders headers) {
        for (BandView view : proxy.bands()) {
            if (view.maxRequests() == band) {
                headers.set(NOTED, Long.toString(Math.max(0, band - view.requests())));
            }
        }
    }

    private void fallback() throws IOException {
        String yaml = Documents.proxy(bench.pool().ports()) + Documents.picker(bench.pool().slotsEach())
                + "  defaultPriorityBand: {maxRequests: " + REQUESTED_BAND + "}\n  priorityBands:\n"
                + "  - {priority: 100, maxRequests: 2000}\n  - {priority: 0, maxRequests: " + BANDS[0] + "}\n"
                + Documents.objective(Documents.INTERACTIVE, 100) + Documents.objective(Documents.batch(BANDS[0]), 5);
        inside(Stage.FALLBACK, yaml, new FlowHooks() {
            @Override
            public boolean holdProvisioning() {
                return true;
            }
        });
        notes.put(Stage.FALLBACK, headers -> headers.setInt(NOTED, REQUESTED_BAND));
    }

    private Proxy inside(Stage stage, String yaml, FlowHooks hooks) throws IOException {
        Proxy proxy = startInside(yaml, hooks);
        started.add(proxy::close);
        wires.put(stage, WireSettings.to(() -> proxy.address("plain"), bench.transport()));
        return proxy;
    }

    /** The product inside this process, with the event loops that the process beside it has. */
    static Proxy startInside(String yaml, FlowHooks hooks) throws IOException {
        LoadResult loaded = ConfigLoader.load(List.of(Source.text(yaml)), LoadOptions.none());
        Settings settings = loaded.settings();
        if (settings == null) {
            throw new IOException("configuration: " + loaded.problems() + " (expected: none)");
        }
        try {
            return Proxy.start(settings, ProxyOptions.defaults().withLoops(2).withHooks(hooks));
        } catch (StartException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Closeable one : started) {
            one.close();
        }
    }
}
