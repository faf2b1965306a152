package io.penstock.proxy.admin;

import io.penstock.flow.BandView;
import io.penstock.flow.SaturationView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A view whose answers a test sets. */
final class FixedView implements AdminView {

    volatile boolean ready = true;
    volatile boolean live = true;
    volatile List<BandView> bands = List.of();
    volatile SaturationView saturation = new SaturationView(null, null, 0.0);
    volatile List<EndpointRow> endpoints = List.of();
    final AtomicInteger drains = new AtomicInteger();

    @Override
    public boolean ready() {
        return ready;
    }

    @Override
    public boolean live() {
        return live;
    }

    @Override
    public List<BandView> bands() {
        return bands;
    }

    @Override
    public SaturationView saturation() {
        return saturation;
    }

    @Override
    public List<EndpointRow> endpoints() {
        return endpoints;
    }

    @Override
    public void drain() {
        drains.incrementAndGet();
        ready = false;
    }

    @Override
    public String scrape(@Nullable String accept, OutputStream out) throws IOException {
        out.write(("accept " + accept + "\n").getBytes(StandardCharsets.UTF_8));
        return "text/plain; version=0.0.4";
    }
}
