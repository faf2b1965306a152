package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When the script makes a class archive, which one it takes, and what is left of it: with a Java that only notes its calls. */
class ArchiveScriptTest {

    @TempDir
    private Path directory;

    private Distribution java(int version) throws IOException {
        return Distribution.fake(directory, version);
    }

    private static List<String> archives(Path where) throws IOException {
        return Distribution.names(where).stream().filter(name -> name.startsWith("penstock-java")).toList();
    }

    @ParameterizedTest
    @CsvSource({"17,jsa,3,-XX:SharedArchiveFile=", "24,jsa,3,-XX:SharedArchiveFile=", "25,aot,2,-XX:AOTCache="})
    void theFirstStartMakesOneAndUsesItAndTheSecondOnlyUsesIt(int version, String kind, int calls, String flag) throws Exception {
        Distribution penstock = java(version);
        assertThat(penstock.run(penstock.command("serve", "--x"))).startsWith("penstock: making ").contains(", once for this jar");
        assertThat(archives(penstock.root())).singleElement().asString().matches("penstock-java" + version + "-\\d+-\\d+\\." + kind);
        String archive = penstock.root().resolve(archives(penstock.root()).get(0)).toString();
        assertThat(penstock.calls()).hasSize(calls);
        assertThat(penstock.calls().get(0)).contains(" rehearse ");
        assertThat(penstock.calls().get(calls - 1)).contains(flag + archive + ' ').contains("-Dpenstock.archive=" + archive)
                .endsWith("penstock.jar serve --x");

        assertThat(penstock.run(penstock.command("serve", "--x"))).isEmpty();
        assertThat(penstock.calls()).hasSize(calls + 1).last().isEqualTo(penstock.calls().get(calls - 1));
        assertThat(Distribution.names(penstock.root())).hasSize(3);
    }

    @Test
    void anotherJarGetsAnArchiveOfItsOwnAndTheOldOneGoes() throws Exception {
        Distribution penstock = java(17);
        penstock.run(penstock.command("serve"));
        Path old = penstock.root().resolve(archives(penstock.root()).get(0));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(5)));
        Files.writeString(penstock.jar(), "two");
        penstock.run(penstock.command("serve"));
        assertThat(archives(penstock.root())).hasSize(1).doesNotContain(old.getFileName().toString());
        assertThat(penstock.calls().get(5)).contains(archives(penstock.root()).get(0)).doesNotContain(old.getFileName().toString());
    }

    @Test
    void anotherJavaOrALayoutOfObjectsIsAnotherArchiveButAPropertyIsNot() throws Exception {
        Distribution penstock = java(25);
        ProcessBuilder command = penstock.command("serve");
        penstock.run(command);
        command.environment().put("PENSTOCK_JAVA_OPTS", "-Dsome=thing -Xlog:gc");
        penstock.run(command);
        assertThat(archives(penstock.root())).hasSize(1);
        command.environment().put("PENSTOCK_JAVA_OPTS", "-XX:+UseCompactObjectHeaders -Dsome=thing -Xlog:gc");
        penstock.run(command);
        assertThat(archives(penstock.root())).hasSize(2);
        assertThat(penstock.calls().get(3)).as("made with what it will be used with").contains("-XX:+UseCompactObjectHeaders")
                .contains("-Dsome=thing").doesNotContain("-Xlog:gc").contains(" rehearse ");
        Files.writeString(penstock.fakeFile("../release"), "JAVA_VERSION=\"25.0.2\"\n");
        penstock.run(command);
        assertThat(archives(penstock.root())).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"validate", "--version", "demo", "sim"})
    void onlyAServerMakesOneAndTheOthersTakeWhatIsThere(String what) throws Exception {
        Distribution penstock = java(17);
        assertThat(penstock.run(penstock.command(what))).isEmpty();
        assertThat(penstock.calls()).singleElement().asString().doesNotContain("Archive");
        String archive = penstock.run(penstock.command("archive")).trim();
        penstock.run(penstock.command(what));
        assertThat(penstock.calls()).last().asString().contains("-XX:SharedArchiveFile=" + archive);
    }

    @Test
    void whereNothingCanBeWrittenTheStartGoesOnAndSaysSoInOneLine() throws Exception {
        Distribution penstock = java(25);
        ProcessBuilder command = penstock.command("serve");
        command.environment().put("PENSTOCK_ARCHIVE", penstock.jar().toString());
        assertThat(penstock.run(command).lines().skip(1)).singleElement().asString()
                .startsWith("penstock: no class archive, ").contains(penstock.jar() + " cannot be written to");
        assertThat(penstock.calls()).singleElement().asString().doesNotContain("AOT").endsWith("penstock.jar serve");
        assertThat(command.command("sh", "-c", "exec \"$0\" archive", penstock.root().resolve("penstock").toString()).start().waitFor())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void aFaultOfTheMakerIsSaidAndLeavesNothing(int version) throws Exception {
        Distribution penstock = java(version);
        Path broken = Files.createFile(penstock.fakeFile("broken"));
        Process start = penstock.command("serve").redirectErrorStream(true).start();
        assertThat(new String(start.getInputStream().readAllBytes()).lines().toList()).element(1).asString()
                .startsWith("penstock: no class archive, ").contains("a fault of the JVM");
        assertThat(Distribution.names(penstock.root())).containsExactly("penstock", "penstock.jar");
        Files.delete(broken);
        penstock.run(penstock.command("serve"));
        assertThat(archives(penstock.root())).hasSize(1);
    }

    @Test
    void itIsLeftOutWhenAskedForAndWhereTheFlagsNameAnother() throws Exception {
        Distribution penstock = java(17);
        ProcessBuilder command = penstock.command("serve");
        command.environment().put("PENSTOCK_ARCHIVE", "off");
        penstock.run(command);
        command = penstock.command("serve");
        command.environment().put("PENSTOCK_JAVA_OPTS", "-XX:SharedArchiveFile=/mine.jsa");
        penstock.run(command);
        assertThat(penstock.calls()).hasSize(2).noneMatch(call -> call.contains("rehearse") || call.contains("penstock.archive"));
        assertThat(Distribution.names(penstock.root())).containsExactly("penstock", "penstock.jar");
    }

    @Test
    void twoThatStartAtOnceBothMakeAWholeOne() throws Exception {
        Distribution penstock = java(17);
        Process one = penstock.command("serve").start();
        Process two = penstock.command("serve").start();
        assertThat(one.waitFor()).isZero();
        assertThat(two.waitFor()).isZero();
        assertThat(Distribution.names(penstock.root())).hasSize(3);
        assertThat(penstock.root().resolve(archives(penstock.root()).get(0))).hasContent("archive");
    }

    @Test
    void aSignalDuringTheMakingEndsBothAndLeavesNothing() throws Exception {
        Distribution penstock = java(25);
        Path fifo = penstock.fakeFile("hang");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        Process start = penstock.command("serve").start();
        Path hanging = penstock.fakeFile("hanging");
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(hanging) && !Files.readString(hanging).isBlank());
        start.toHandle().destroy();
        assertThat(start.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(start.exitValue()).isEqualTo(143);
        assertThat(Distribution.names(penstock.root())).containsExactly("penstock", "penstock.jar");
        long maker = Long.parseLong(Files.readString(hanging).trim());
        Awaitility.await().atMost(Duration.ofSeconds(20))
                .until(() -> ProcessHandle.of(maker).map(process -> !process.isAlive()).orElse(true));
    }

    @Test
    void whatAKilledMakerLeftGoesWithTheNextMaking() throws Exception {
        Distribution penstock = java(17);
        Path left = Files.writeString(penstock.root().resolve("penstock-java17-1.jsa.99.tmp.list"), "x");
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minusSeconds(3600)));
        Path fresh = Files.writeString(penstock.root().resolve("penstock-java17-1.jsa.98.tmp"), "another one is at it");
        penstock.run(penstock.command("serve"));
        assertThat(left).doesNotExist();
        assertThat(fresh).exists();
    }
}
