package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ConfigLoaderTest {

    private static final String OBJECTIVE = "apiVersion: llm-d.ai/v1alpha2\nkind: InferenceObjective\n";

    @TempDir
    Path dir;

    static Stream<Path> examples() throws IOException {
        try (Stream<Path> files = Files.list(Loading.repository().resolve("config/examples"))) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyExampleLoads(Path example) {
        LoadResult result = ConfigLoader.load(List.of(Source.file(example)), LoadOptions.none());
        assertThat(Loading.lines(result)).isEmpty();
        assertThat(Loading.settings(result).picker().flowControlEnabled()).isTrue();
        assertThat(Loading.settings(result).proxy().endpoints()).isNotEmpty();
    }

    /** Whatever a file holds, the loader answers, and an answer without settings says why. */
    @ParameterizedTest
    @MethodSource("examples")
    void aBrokenFileIsAProblemNeverAnException(Path example) throws IOException {
        String text = Files.readString(example);
        Random random = new Random(42);
        for (int i = 0; i < 1_000; i++) {
            String broken = mutate(text, random);
            LoadResult result = Loading.load(broken);
            assertThat(result.settings() == null).as(broken).isEqualTo(!result.errors().isEmpty());
            assertThat(result.problems()).as(broken).allMatch(p -> p.line() >= 1 && p.column() >= 1 && !p.message().contains("\n"));
        }
    }

    private static String mutate(String text, Random random) {
        StringBuilder out = new StringBuilder(random.nextInt(3) == 0 ? text.substring(0, random.nextInt(text.length())) : text);
        String junk = "{}[]:,-#&*!|>'\"%@`\n\t 0-9.yesnull<<~\u0000\u0007\u00e9\ud800";
        for (int edits = random.nextInt(4) + 1; edits > 0 && out.length() > 0; edits--) {
            int at = random.nextInt(out.length());
            switch (random.nextInt(4)) {
                case 0 -> out.deleteCharAt(at);
                case 1 -> out.insert(at, junk.charAt(random.nextInt(junk.length())));
                case 2 -> out.setCharAt(at, junk.charAt(random.nextInt(junk.length())));
                default -> out.insert(at, text, random.nextInt(text.length() / 2), text.length() / 2);
            }
        }
        return out.toString();
    }

    @Test
    void allProblemsOfAllSourcesComeAtOnceInTheirOrder() {
        Source one = new Source("z", null, Loading.PROXY + "drain: {grace: 1}\nadmin: 5\n");
        Source two = new Source("a", null, Loading.PICKER + "plugin: []\n---\nkind: [");
        assertThat(Loading.lines(ConfigLoader.load(List.of(one, two), LoadOptions.none()))).containsExactly(
                "z:3:16: drain.grace: 1 (expected: a Go duration with its unit, such as 300ms or 1m30s)",
                "z:4:8: admin: 5 (expected: a map)",
                "a:3:1: plugin: unknown key (did you mean plugins?)",
                "a:5:8: not YAML: while parsing a flow node, expected the node content, but found '<stream end>'");
    }

    @Test
    void aKindThatCanExistOnceNamesBothPlaces() {
        Source one = new Source("one", null, Loading.PROXY);
        Source two = new Source("two", null, Loading.PICKER + "---\n" + Loading.PROXY);
        assertThat(Loading.lines(ConfigLoader.load(List.of(one, two), LoadOptions.none()))).containsExactly(
                "two:5:7: kind: second ProxyConfig (first at one:1:1)");
    }

    @Test
    void staticEndpointsNextToADiscoveryPluginNameBothPlaces() {
        assertThat(Loading.lines(Loading.PROXY + "endpoints: [{address: \"h:1\"}]\n---\n" + Loading.PICKER
                + "plugins: [{type: file-discovery, parameters: {path: e.yaml}}]\ndataLayer: {discovery: {pluginRef: file-discovery}}\n"))
                .containsExactly("c:3:1: endpoints: given next to the discovery plugin at c:8:36 (expected: one of both)");
    }

    @Test
    void objectivesMapNamesToPriorities() {
        LoadResult result = Loading.load(OBJECTIVE + """
                metadata: {name: high, namespace: lab, labels: {a: b}, creationTimestamp: 2026-01-01T00:00:00Z, generation: 1}
                spec: {priority: 10, poolRef: {name: other, group: x}}
                status: {conditions: []}
                ---
                apiVersion: inference.networking.x-k8s.io/v1alpha2
                kind: InferenceObjective
                metadata: {name: none}
                spec: {priority: null}
                ---
                """ + OBJECTIVE + "metadata: {name: low}\nspec: {priority: -2147483648}\n");
        assertThat(Loading.lines(result)).containsExactly(
                "c:7:13: notice: apiVersion: inference.networking.x-k8s.io/v1alpha2 is the old group (expected: llm-d.ai/v1alpha2)");
        assertThat(Loading.settings(result).objectives()).containsOnly(Map.entry("high", 10), Map.entry("none", 0),
                Map.entry("low", Integer.MIN_VALUE));
    }

    @Test
    void thePoolAndNamespaceCountOnlyWhenTheFlagsNameThem() {
        String text = OBJECTIVE + "metadata: {name: a, namespace: lab}\nspec: {priority: 1, poolRef: {name: ours}}\n---\n" + OBJECTIVE
                + "metadata: {name: b, namespace: prod}\nspec: {priority: 2, poolRef: {name: theirs}}\n";
        assertThat(Loading.settings(Loading.load(text)).objectives()).containsOnlyKeys("a", "b");
        LoadResult pool = Loading.load(text, LoadOptions.none().withPool("ours", null));
        assertThat(Loading.settings(pool).objectives()).containsOnlyKeys("a");
        assertThat(Loading.lines(pool)).containsExactly(
                "c:9:37: notice: spec.poolRef.name: theirs of group inference.networking.k8s.io is not ours, objective ignored");
        LoadResult namespace = Loading.load(text, LoadOptions.none().withPool("theirs", "lab"));
        assertThat(Loading.settings(namespace).objectives()).isEmpty();
    }

    @Test
    void badObjectivesAreNamed() {
        assertThat(Loading.lines(OBJECTIVE + "metadata: {nam: a}\nspec: {priority: high, pool: x}\n---\n" + OBJECTIVE
                + "metadata: {name: x}\n---\n" + OBJECTIVE + "metadata: {name: x}\n---\n" + OBJECTIVE + "metadata: {name: \"a b\"}\n"))
                .containsExactly("c:3:1: metadata.name: missing (expected: the name that clients send)",
                        "c:3:12: metadata.nam: unknown key (did you mean name?)",
                        "c:4:18: spec.priority: high (expected: a whole number of 32 bits)",
                        "c:4:24: spec.pool: unknown key (did you mean poolRef?)", "c:10:1: objective x given twice (first at c:6:1)",
                        "c:16:18: metadata.name: \"a b\" (expected: visible ASCII characters, as in a header)");
    }

    @Test
    void modelRewritesAreNotSupportedYet() {
        assertThat(Loading.lines("apiVersion: llm-d.ai/v1alpha2\nkind: InferenceModelRewrite\nspec: {}\n")).containsExactly(
                "c:2:7: kind: InferenceModelRewrite: not supported yet (expected: EndpointPickerConfig, InferenceObjective, ProxyConfig)");
    }

    @Test
    void aWatcherTellsTheWholeResultOfEachChange() throws Exception {
        Path file = Files.writeString(dir.resolve("c.yaml"), Loading.PROXY + "drain: {grace: 1s}\n");
        BlockingQueue<LoadResult> results = new LinkedBlockingQueue<>();
        try (ConfigWatcher watcher = ConfigWatcher.start(List.of(Source.file(file), Source.text("")), LoadOptions.none(), results::add)) {
            assertThat(watcher).isNotNull();
            Files.writeString(file, Loading.PROXY + "drain: {grace: 2}\n");
            LoadResult bad = results.poll(20, TimeUnit.SECONDS);
            assertThat(bad).isNotNull();
            assertThat(bad.settings()).isNull();
            Files.writeString(file, Loading.PROXY + "drain: {grace: 3s}\n");
            LoadResult good = results.poll(20, TimeUnit.SECONDS);
            assertThat(good).isNotNull();
            assertThat(Loading.settings(good).proxy().drain().grace()).hasSeconds(3);
        }
    }
}
