package io.penstock.proxy.metrics;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows families once more under the name that they had before (spec/flow-control section 10, rows marked D, and spec/routing 6.2). It
 * works on the finished scrape, so that the old names cost nothing while they are off, and nothing per request while they are on.
 */
final class LegacyNames {

    /** New name to old name. */
    static final Map<String, String> TWINS = Map.ofEntries(
            twin("flow_control_request_queue_duration_seconds"),
            twin("flow_control_dispatch_cycle_duration_seconds"),
            twin("flow_control_request_enqueue_duration_seconds"),
            twin("flow_control_queue_size"),
            twin("flow_control_queue_bytes"),
            twin("flow_control_pool_saturation"),
            Map.entry("llm_d_epp_average_kv_cache_utilization", "inference_pool_average_kv_cache_utilization"),
            Map.entry("llm_d_epp_average_queue_size", "inference_pool_average_queue_size"),
            Map.entry("llm_d_epp_average_running_requests", "inference_pool_average_running_requests"),
            Map.entry("llm_d_epp_ready_endpoints", "inference_pool_ready_pods"),
            Map.entry("llm_d_epp_per_endpoint_queue_size", "inference_pool_per_pod_queue_size"));

    private LegacyNames() {
    }

    private static Map.Entry<String, String> twin(String name) {
        return Map.entry("llm_d_epp_" + name, "inference_extension_" + name);
    }

    static MetricSnapshots addTo(MetricSnapshots snapshots) {
        List<MetricSnapshot> all = new ArrayList<>(snapshots.stream().toList());
        for (MetricSnapshot snapshot : snapshots) {
            String old = TWINS.get(snapshot.getMetadata().getName());
            MetricSnapshot twin = old == null ? null : renamed(snapshot, new MetricMetadata(old, snapshot.getMetadata().getHelp()));
            if (twin != null) {
                all.add(twin);
            }
        }
        return new MetricSnapshots(all);
    }

    private static @Nullable MetricSnapshot renamed(MetricSnapshot snapshot, MetricMetadata name) {
        if (snapshot instanceof HistogramSnapshot histogram) {
            return new HistogramSnapshot(name, histogram.getDataPoints());
        }
        if (snapshot instanceof GaugeSnapshot gauge) {
            return new GaugeSnapshot(name, gauge.getDataPoints().stream()
                    .map(point -> new GaugeDataPointSnapshot(point.getValue(), podLabels(point.getLabels()), null))
                    .toList());
        }
        return null;
    }

    private static Labels podLabels(Labels labels) {
        Labels.Builder builder = Labels.builder();
        for (Label label : labels) {
            builder.label(label.getName().equals("model_server_endpoint") ? "model_server_pod" : label.getName(), label.getValue());
        }
        return builder.build();
    }
}
