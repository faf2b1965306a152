package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the tests of this package share: documents in a text, loaded. */
final class Loading {

    static final String PICKER = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n";
    static final String PROXY = "apiVersion: penstock.io/v1alpha1\nkind: ProxyConfig\n";
    static final String GATE = "featureGates: [flowControl]\n";

    private Loading() {
    }

    static LoadResult load(String text) {
        return load(text, LoadOptions.none());
    }

    static LoadResult load(String text, LoadOptions options) {
        return ConfigLoader.load(List.of(new Source("c", null, text)), options);
    }

    /** Settings of a text without any problem. */
    static Settings good(String text) {
        LoadResult result = load(text);
        assertThat(lines(result)).isEmpty();
        return settings(result);
    }

    static Settings settings(LoadResult result) {
        Settings settings = result.settings();
        assertThat(settings).as("settings, problems: %s", result.problems()).isNotNull();
        return settings;
    }

    static List<String> lines(LoadResult result) {
        return result.problems().stream().map(Problem::toString).toList();
    }

    static List<String> lines(String text) {
        return lines(load(text));
    }

    /** The root of the repository, wherever the build runs. */
    static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(at.resolve("config/examples"))) {
            at = at.getParent();
        }
        return at;
    }
}
