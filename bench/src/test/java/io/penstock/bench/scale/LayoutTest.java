package io.penstock.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.proxy.config.ConfigLoader;
import io.penstock.proxy.config.LoadOptions;
import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.config.Source;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The configuration that a point runs with. */
class LayoutTest {

    @Test
    void whatThePointAsksForIsWhatTheProxyReads() {
        List<Integer> backends = IntStream.range(20_000, 21_000).boxed().toList();
        String yaml = Layout.PLAIN.withEndpoints(1000).withBands(64).withAtOnce(32).withStreams(1000).yaml(List.of(1, 2, 3), backends);
        LoadResult loaded = ConfigLoader.load(List.of(Source.text(yaml)), LoadOptions.none());
        assertThat(loaded.problems()).isEmpty();
        Settings settings = loaded.settings();
        assertThat(settings).isNotNull();
        assertThat(settings.proxy().endpoints()).hasSize(1000);
        assertThat(settings.proxy().limits().maxConcurrentStreams()).isEqualTo(1000);
        assertThat(settings.picker().flowControl().bands()).hasSize(64);
        assertThat(settings.objectives()).hasSize(64);
    }
}
