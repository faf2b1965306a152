package io.penstock.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("try") // a watcher is only opened and closed
final class FileWatcherTest {

    private static final Duration DEBOUNCE = Duration.ofMillis(20);
    /** So that only events count. */
    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir
    Path dir;
    private final Semaphore changes = new Semaphore(0);

    @Test
    void aRewriteInPlaceIsSeen() throws Exception {
        Path file = Files.writeString(dir.resolve("a.yaml"), "a");
        try (FileWatcher ignored = watch(file)) {
            Files.writeString(file, "b");
            awaitChange();
        }
    }

    @Test
    void aRenameOverTheFileIsSeenEachTime() throws Exception {
        Path file = Files.writeString(dir.resolve("a.yaml"), "0");
        try (FileWatcher ignored = watch(file)) {
            for (int i = 1; i < 4; i++) {
                Path next = Files.writeString(dir.resolve("a.new"), "" + i);
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
                awaitChange();
            }
        }
    }

    @Test
    void aSwapBehindTheDataLinkIsSeenEachTime() throws Exception {
        Path file = configMap();
        try (FileWatcher ignored = watch(file)) {
            swapData("two");
            awaitChange();
            swapData("three");
            awaitChange();
            assertThat(Files.readString(file)).isEqualTo("three");
        }
    }

    @Test
    void aRewriteOfTheFileBehindALinkInAnotherDirectoryIsSeen() throws Exception {
        Path elsewhere = Files.createDirectory(dir.resolve("elsewhere"));
        Path target = Files.writeString(elsewhere.resolve("real.yaml"), "a");
        Path file = Files.createSymbolicLink(dir.resolve("a.yaml"), target);
        try (FileWatcher ignored = watch(file)) {
            Files.writeString(target, "b");
            awaitChange();
        }
    }

    @Test
    void deletionAndNewCreationAreSeen() throws Exception {
        Path file = Files.writeString(dir.resolve("a.yaml"), "a");
        try (FileWatcher ignored = watch(file)) {
            Files.delete(file);
            awaitChange();
            Files.writeString(file, "b");
            awaitChange();
        }
    }

    @Test
    void aFileInADirectoryThatIsMadeLaterIsSeen() throws Exception {
        Path file = dir.resolve("later").resolve("a.yaml");
        try (FileWatcher ignored = FileWatcher.watch(List.of(file), DEBOUNCE, changes::release)) {
            Files.createDirectory(file.getParent());
            Files.writeString(file, "a");
            awaitChange();
        }
    }

    @Test
    void aSwapOfALinkHigherUpIsSeenByTheNextLook() throws Exception {
        for (String name : List.of("one", "two")) {
            Files.writeString(Files.createDirectory(dir.resolve(name)).resolve("a.yaml"), name);
        }
        Path link = Files.createSymbolicLink(dir.resolve("current"), Path.of("one"));
        try (FileWatcher ignored = FileWatcher.watch(List.of(link.resolve("a.yaml")), DEBOUNCE, Duration.ofMillis(50), changes::release)) {
            Files.move(Files.createSymbolicLink(dir.resolve("next"), Path.of("two")), link, StandardCopyOption.ATOMIC_MOVE);
            awaitChange();
        }
    }

    @Test
    void aTouchOrANeighbourIsNoChange() throws Exception {
        Path file = Files.writeString(dir.resolve("a.yaml"), "a");
        try (FileWatcher ignored = watch(file)) {
            // Without being empty for a moment, which would be a change.
            Files.writeString(file, "a", StandardOpenOption.WRITE);
            Files.writeString(dir.resolve("b.yaml"), "b");
            assertThat(changes.tryAcquire(300, TimeUnit.MILLISECONDS)).isFalse();
            Files.writeString(file, "c");
            awaitChange();
        }
    }

    @Test
    void aCallbackThatThrowsDoesNotEndTheWatch() throws Exception {
        Path file = Files.writeString(dir.resolve("a.yaml"), "a");
        try (FileWatcher ignored = FileWatcher.watch(List.of(file), DEBOUNCE, () -> {
            changes.release();
            throw new IllegalStateException("on purpose");
        })) {
            Files.writeString(file, "b");
            awaitChange();
            Files.writeString(file, "c");
            awaitChange();
        }
    }

    @Test
    void nothingIsToldAfterTheClose() throws Exception {
        Path file = Files.writeString(dir.resolve("a.yaml"), "a");
        watch(file).close();
        Files.writeString(file, "b");
        assertThat(changes.tryAcquire(300, TimeUnit.MILLISECONDS)).isFalse();
    }

    private FileWatcher watch(Path file) {
        return FileWatcher.watch(List.of(file), DEBOUNCE, NEVER, changes::release);
    }

    private void awaitChange() throws InterruptedException {
        assertThat(changes.tryAcquire(20, TimeUnit.SECONDS)).as("a change within 20 s").isTrue();
    }

    /** A mounted ConfigMap: {@code a.yaml -> ..data/a.yaml}, {@code ..data -> ..one}. */
    private Path configMap() throws IOException {
        Files.writeString(Files.createDirectory(dir.resolve("..one")).resolve("a.yaml"), "one");
        Files.createSymbolicLink(dir.resolve("..data"), Path.of("..one"));
        return Files.createSymbolicLink(dir.resolve("a.yaml"), Path.of("..data", "a.yaml"));
    }

    private void swapData(String content) throws IOException {
        Files.writeString(Files.createDirectory(dir.resolve(".." + content)).resolve("a.yaml"), content);
        Path link = Files.createSymbolicLink(dir.resolve("..data_tmp"), Path.of(".." + content));
        Files.move(link, dir.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }
}
