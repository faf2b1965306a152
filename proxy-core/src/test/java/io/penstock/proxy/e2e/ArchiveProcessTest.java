package io.penstock.proxy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A class archive of this JVM's own making: used when it fits, and no hindrance when it does not. */
class ArchiveProcessTest {

    @TempDir
    private Path directory;

    private static List<String> serve(ProcessBuilder command) {
        try (ChildProcess child = ChildProcess.serve(command)) {
            assertThat(child.admin("GET", "/ready").statusCode()).isEqualTo(200);
            child.terminate();
            assertThat(child.exitCode()).isZero();
            return child.err().all();
        }
    }

    @Test
    void aStartUsesTheArchiveAndABrokenOneOnlyCostsAWarning() throws Exception {
        Distribution penstock = Distribution.real(Files.createDirectory(directory.resolve("penstock")));
        Path config = Files.writeString(directory.resolve("penstock.yaml"), RunningProxy.yaml(List.of(), "", ""));
        ProcessBuilder command = penstock.command("serve", "--concurrency", "2", "--config-file", config.toString());

        Path archive = Path.of(penstock.run(penstock.command("archive")).trim());
        assertThat(Distribution.names(penstock.root()))
                .containsExactly("penstock", archive.getFileName().toString(), "penstock.jar");

        assertThat(serve(command)).isNotEmpty().noneMatch(line -> line.contains("archive"));

        assertThat(archive.toFile().setWritable(true)).isTrue();
        try (RandomAccessFile file = new RandomAccessFile(archive.toFile(), "rw")) {
            file.setLength(file.length() / 2);
        }
        assertThat(serve(command)).as("made anew").anyMatch(line -> line.contains("making a class archive"));
        assertThat(Files.size(Path.of(penstock.run(penstock.command("archive")).trim()))).isGreaterThan(1 << 20);

        for (String name : Distribution.names(penstock.root())) {
            if (name.startsWith("penstock-java")) {
                overwriteHead(penstock.root().resolve(name));
            }
        }
        assertThat(serve(command)).anyMatch(line -> line.contains("is not used by this JVM"));
    }

    private static void overwriteHead(Path archive) throws Exception {
        archive.toFile().setWritable(true);
        try (RandomAccessFile file = new RandomAccessFile(archive.toFile(), "rw")) {
            file.write(new byte[4096]);
        }
    }
}
