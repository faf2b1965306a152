/**
 * Metrics: flow control's and the picker's under llm-d's names, the proxy's own under {@code penstock_}; docs/metrics.md lists them all.
 *
 * <p>Counters are Micrometer's; those that every request moves are read from {@link LoopCells}, which event loops write without atomic
 * operations. Histograms are not: Micrometer adds a {@code _max} family to each, which llm-d's dashboards do not know and
 * nothing can switch off. Series that come and go (flows, bands, stages, endpoints) are collected from live state at each scrape, so that
 * there is no registration to forget. Both are collectors of the same Prometheus registry.
 */
@NullMarked
package io.penstock.proxy.metrics;

import org.jspecify.annotations.NullMarked;
