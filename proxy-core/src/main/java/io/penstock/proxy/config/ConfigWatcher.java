package io.penstock.proxy.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Loads the configuration anew when one of its files changes, and tells what came of it; whether good or bad, it always comes whole. The
 * callback runs on the watcher's daemon thread, one at a time. {@link #close} is for any thread.
 */
public final class ConfigWatcher implements AutoCloseable {

    private static final Duration DEBOUNCE = Duration.ofMillis(100);

    private final FileWatcher watcher;

    private ConfigWatcher(FileWatcher watcher) {
        this.watcher = watcher;
    }

    /**
     * Starts to watch. A change between the caller's own first load and this call is not seen, so start first and load then.
     *
     * @param onLoad takes a result with settings as a whole, or only logs the problems of one without
     */
    public static ConfigWatcher start(List<Source> sources, LoadOptions options, Consumer<LoadResult> onLoad) {
        List<Path> files = sources.stream().map(Source::file).filter(Objects::nonNull).map(Objects::requireNonNull).toList();
        return new ConfigWatcher(FileWatcher.watch(files, DEBOUNCE, () -> onLoad.accept(ConfigLoader.load(sources, options))));
    }

    @Override
    public void close() {
        watcher.close();
    }
}
