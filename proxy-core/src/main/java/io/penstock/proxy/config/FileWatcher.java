package io.penstock.proxy.config;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells when the content of one of some files has changed: rewritten in place, renamed over, deleted, made again, or swapped behind a
 * symbolic link as Kubernetes does with {@code ..data}. Watches directories, since a watch on a file ends with its inode; a look every two
 * seconds covers what sends no events (network file systems, a link higher up the path, a directory made anew).
 *
 * <p>The callback runs on the watcher's own daemon thread, one at a time, after the files were quiet for the debounce time. What changes
 * after {@link #watch} returned is never missed, so watch first and read then. {@link #close} is for any thread; a callback that already
 * runs may still end after it.
 */
public final class FileWatcher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FileWatcher.class);
    private static final Duration RECHECK = Duration.ofSeconds(2);
    /** Somebody who never stops writing must not hold the callback back for ever. */
    private static final int MOST_QUIET_WAITS = 50;

    private final List<Path> files;
    private final Duration debounce;
    private final Duration recheck;
    private final Runnable onChange;
    private final @Nullable WatchService service;
    private final CountDownLatch closed = new CountDownLatch(1);
    /** Watcher thread only, after the start. */
    private final Map<Path, WatchKey> keys = new HashMap<>();
    private Map<Path, FileState> known = Map.of();

    private FileWatcher(Collection<Path> files, Duration debounce, Duration recheck, Runnable onChange) {
        this.files = files.stream().map(Path::toAbsolutePath).distinct().toList();
        this.debounce = debounce;
        this.recheck = recheck;
        this.onChange = onChange;
        this.service = openService();
    }

    /**
     * Starts to watch.
     *
     * @param files need not exist yet
     * @param debounce how long the files must be quiet before the callback
     * @param onChange what it throws is logged, and watching goes on
     */
    public static FileWatcher watch(Collection<Path> files, Duration debounce, Runnable onChange) {
        return watch(files, debounce, RECHECK, onChange);
    }

    /** As above, with another time between two looks, so that a test can rely on events alone. */
    static FileWatcher watch(Collection<Path> files, Duration debounce, Duration recheck, Runnable onChange) {
        FileWatcher watcher = new FileWatcher(files, debounce, recheck, onChange);
        watcher.register();
        watcher.known = watcher.look();
        Thread thread = new Thread(watcher::run, "penstock-file-watcher");
        thread.setDaemon(true);
        thread.start();
        return watcher;
    }

    @Override
    public void close() {
        closed.countDown();
        if (service != null) {
            try {
                service.close();
            } catch (IOException ignored) {
                // the thread ends by the latch
            }
        }
    }

    private @Nullable WatchService openService() {
        try {
            return FileSystems.getDefault().newWatchService();
        } catch (IOException e) {
            // nodes run out of inotify instances; that must not keep a proxy from starting
            LOG.warn("No file events ({}); looking every {} s instead", e.getMessage(), recheck.toSeconds());
            return null;
        }
    }

    private void run() {
        try {
            while (closed.getCount() > 0) {
                boolean event = awaitEvent(recheck);
                if (event) {
                    awaitQuiet();
                }
                if (closed.getCount() > 0) {
                    compare(event);
                }
            }
        } catch (ClosedWatchServiceException ignored) {
            // close() was called
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void compare(boolean event) throws InterruptedException {
        register();
        if (!event) {
            if (known.entrySet().stream().allMatch(e -> e.getValue().looksLike(e.getKey()))) {
                return;
            }
            awaitQuiet(); // found by the look, perhaps half written
        }
        Map<Path, FileState> now = look();
        boolean changed = files.stream().anyMatch(file -> !state(now, file).sameContent(state(known, file)));
        known = now;
        if (!changed) {
            return;
        }
        try {
            onChange.run();
        } catch (RuntimeException e) {
            LOG.error("A change of {} could not be handled", files, e);
        }
    }

    private static FileState state(Map<Path, FileState> states, Path file) {
        return states.getOrDefault(file, FileState.ABSENT);
    }

    private Map<Path, FileState> look() {
        Map<Path, FileState> states = new LinkedHashMap<>();
        for (Path file : files) {
            states.put(file, FileState.of(file));
        }
        return states;
    }

    /** Waits until no event came for the debounce time. */
    private void awaitQuiet() throws InterruptedException {
        for (int i = 0; i < MOST_QUIET_WAITS && awaitEvent(debounce); i++) {
            LOG.trace("Still changing");
        }
    }

    private boolean awaitEvent(Duration most) throws InterruptedException {
        if (service == null) {
            closed.await(most.toNanos(), TimeUnit.NANOSECONDS);
            return false;
        }
        WatchKey key = service.poll(most.toNanos(), TimeUnit.NANOSECONDS);
        if (key == null) {
            return false;
        }
        key.pollEvents();
        if (!key.reset()) {
            keys.values().remove(key);
        }
        return true;
    }

    /** Watches each file's directory, and that of the file behind its links; again after each change, since links move. */
    private void register() {
        if (service == null) {
            return;
        }
        for (Path file : files) {
            register(service, file.getParent());
            try {
                register(service, file.toRealPath().getParent());
            } catch (IOException ignored) {
                // not there now; its directory, or the next look, will tell
            }
        }
    }

    private void register(WatchService events, @Nullable Path directory) {
        if (directory == null || isWatched(directory) || !Files.isDirectory(directory)) {
            return;
        }
        try {
            keys.put(directory, directory.register(events, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY,
                    StandardWatchEventKinds.ENTRY_DELETE));
        } catch (IOException e) {
            LOG.debug("No events from {}: {}", directory, e.getMessage());
        }
    }

    private boolean isWatched(Path directory) {
        WatchKey key = keys.get(directory);
        return key != null && key.isValid();
    }
}
