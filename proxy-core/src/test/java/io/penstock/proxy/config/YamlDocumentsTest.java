package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class YamlDocumentsTest {

    @TempDir
    Path dir;

    @Test
    void nothingAtAllMeansDefaults() {
        assertThat(Loading.good("").proxy()).isEqualTo(ProxyConfig.defaults());
        assertThat(Loading.good("---\n---\n# only this\n---\nnull\n").picker().flowControlEnabled()).isFalse();
        LoadResult none = ConfigLoader.load(List.of(), LoadOptions.none());
        assertThat(none.problems()).isEmpty();
        assertThat(Loading.settings(none).objectives()).isEmpty();
    }

    @Test
    void aKeyGivenTwiceNamesBothPlaces() {
        assertThat(Loading.lines(Loading.PROXY + "drain: {grace: 1s,\n  grace: 2s}\n")).containsExactly(
                "c:4:3: grace: key given twice (first at c:3:9)");
    }

    @Test
    void aMergeKeyIsRefusedByName() {
        assertThat(Loading.lines(Loading.PROXY + "drain:\n  <<: {grace: 1s}\n")).containsExactly(
                "c:4:3: <<: merge keys are not supported (expected: the keys written out)");
    }

    @Test
    void anAliasStandsForItsAnchor() {
        Settings settings = Loading.good(Loading.PROXY + "timeouts: {streamIdle: &t 7s, writeStall: *t}\n");
        assertThat(settings.proxy().timeouts().writeStall()).hasSeconds(7);
    }

    @Test
    void anAliasWithoutAnchorAndOneOfItselfAreRefused() {
        assertThat(Loading.lines(Loading.PROXY + "drain: *d\n")).containsExactly(
                "c:3:8: *d: alias of nothing (expected: an anchor before it)");
        assertThat(Loading.lines(Loading.PROXY + "drain: &d {grace: *d}\n")).containsExactly(
                "c:3:19: *d: alias of nothing (expected: an anchor before it)");
    }

    @Test
    void aliasesThatMultiplyAreRefused() {
        StringBuilder text = new StringBuilder(Loading.PROXY).append("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 30; i++) {
            text.append("a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d]\n".formatted(i, i, i - 1, i - 1, i - 1, i - 1, i - 1));
        }
        assertThat(Loading.lines(text.toString())).containsExactly(
                "c:9:5: too large with its aliases written out (expected: at most 100000 values)");
    }

    @Test
    void deepNestingIsRefusedBeforeItHurts() {
        assertThat(Loading.lines(Loading.PROXY + "x: " + "[".repeat(400_000))).containsExactly(
                "c:3:68: nested too deeply (expected: at most 64 levels)");
        assertThat(Loading.lines("- ".repeat(100_000))).hasSize(1);
    }

    @Test
    void aSyntaxErrorHasItsPlaceAndWhatStandsBeforeItIsStillRead() {
        assertThat(Loading.lines(Loading.PROXY + "drain: {grace: 5}\n---\nkind: [\n")).containsExactly(
                "c:3:16: drain.grace: 5 (expected: a Go duration with its unit, such as 300ms or 1m30s)",
                "c:6:1: not YAML: while parsing a flow node, expected the node content, but found '<stream end>'");
        assertThat(Loading.lines("a: b: c")).containsExactly("c:1:5: not YAML: mapping values are not allowed here");
        assertThat(Loading.lines("é: \u0001")).containsExactly("c:1:4: not YAML: character U+0001 is not allowed");
        assertThat(Loading.lines("\tx")).hasSize(1);
    }

    @Test
    void tagsAreRefusedButForStrings() {
        assertThat(Loading.lines(Loading.PROXY + "drain: {grace: !!int 5s}\nlimits: !x {}\n")).containsExactly(
                "c:3:16: tag:yaml.org,2002:int: tags are not supported (expected: a plain value)",
                "c:4:9: !x: tags are not supported (expected: a plain value)");
        assertThat(Loading.good(Loading.PROXY + "endpoints: [{name: !!str 5, address: \"h:1\"}]\n").proxy().endpoints().get(0).name())
                .isEqualTo("5");
    }

    @Test
    void jsonIsReadToo() {
        Settings settings = Loading.good("{\"apiVersion\": \"penstock.io/v1alpha1\", \"kind\": \"ProxyConfig\","
                + "\n\t\"limits\": {\"maxHeaders\": 7}}");
        assertThat(settings.proxy().limits().maxHeaders()).isEqualTo(7);
    }

    @Test
    void oldBooleansAreReadWithANotice() {
        LoadResult result = Loading.load(Loading.PROXY + "compat: {headroomShortName: yes, legacyMetricNames: Off}\n");
        assertThat(Loading.lines(result)).containsExactly("c:3:29: notice: compat.headroomShortName: yes is read as true",
                "c:3:53: notice: compat.legacyMetricNames: Off is read as false");
        assertThat(Loading.settings(result).proxy().compat()).isEqualTo(new ProxyConfig.Compat(true, false));
    }

    @Test
    void aDocumentSaysWhatItIs() {
        assertThat(Loading.lines("- 1")).containsExactly("c:1:1: a list: no document (expected: a map with apiVersion and kind)");
        assertThat(Loading.lines("drain: {}")).containsExactly(
                "c:1:1: kind: missing (expected: EndpointPickerConfig, InferenceModelRewrite, InferenceObjective, ProxyConfig)");
        assertThat(Loading.lines("kind: 5")).containsExactly("c:1:7: kind: 5 (expected: a string, so in quotes)");
        assertThat(Loading.lines("kind: ProxyConfg\napiVersion: x\nwhat: ever")).containsExactly(
                "c:1:7: kind: ProxyConfg: unknown kind (did you mean ProxyConfig?)");
        assertThat(Loading.lines("kind: ProxyConfig")).containsExactly("c:1:1: apiVersion: missing (expected: penstock.io/v1alpha1)");
        assertThat(Loading.lines("kind: ProxyConfig\napiVersion: penstock.io/v1")).containsExactly(
                "c:2:13: apiVersion: penstock.io/v1 (expected: penstock.io/v1alpha1)");
    }

    @Test
    void anUnreadableFileIsAProblem() throws Exception {
        Path latin = Files.write(dir.resolve("latin.yaml"), "kind: \u00e9".getBytes(StandardCharsets.ISO_8859_1));
        Path large = Files.writeString(dir.resolve("large.yaml"), "#".repeat(Source.MOST_BYTES + 1));
        Path missing = dir.resolve("missing.yaml");
        LoadResult result = ConfigLoader.load(List.of(Source.file(latin), Source.file(large), Source.file(missing), Source.file(dir)),
                LoadOptions.none());
        assertThat(Loading.lines(result)).containsExactly(latin + ":1:1: not UTF-8 (expected: text in UTF-8)",
                large + ":1:1: too large (expected: at most 1048576 bytes)", missing + ":1:1: no such file (expected: a file to read)",
                dir + ":1:1: cannot be read: Is a directory (expected: a file to read)");
        assertThat(result.settings()).isNull();
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheText() throws Exception {
        Path file = Files.writeString(dir.resolve("bom.yaml"), "\ufeff" + Loading.PROXY + "drain: {grace: 3s}\n");
        LoadResult result = ConfigLoader.load(List.of(Source.file(file)), LoadOptions.none());
        assertThat(Loading.settings(result).proxy().drain().grace()).hasSeconds(3);
    }
}
