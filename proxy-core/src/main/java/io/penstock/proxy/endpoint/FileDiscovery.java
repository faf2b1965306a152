package io.penstock.proxy.endpoint;

import io.penstock.proxy.config.FileWatcher;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills the pool from a file (spec/routing section 2.2), and again whenever the file changes. A file that is wrong anywhere, or gone, or
 * empty, changes nothing: the last good list stays whole. Any thread; loads are one at a time.
 */
public final class FileDiscovery implements AutoCloseable {

    /** Longer than the pauses inside one rewrite, so that half a file that happens to be well-formed is not taken for the whole. */
    static final Duration DEBOUNCE = Duration.ofMillis(300);

    private static final Logger LOG = LoggerFactory.getLogger(FileDiscovery.class);

    private final Path file;
    private final EndpointPool pool;
    private @Nullable FileWatcher watcher;
    private boolean loaded;

    private FileDiscovery(Path file, EndpointPool pool) {
        this.file = file;
        this.pool = pool;
    }

    /**
     * Loads the file into the pool, and goes on doing so.
     *
     * @param watch whether to load it again when it changes
     * @throws DiscoveryException if the first load fails, with all problems; then nothing is watched and the pool is as it was
     */
    public static FileDiscovery start(Path file, boolean watch, EndpointPool pool) throws DiscoveryException {
        FileDiscovery discovery = new FileDiscovery(file, pool);
        if (watch) {
            // First watch, then read: a change in between is seen twice rather than not at all.
            discovery.watcher = FileWatcher.watch(List.of(file), DEBOUNCE, discovery::reload);
        }
        try {
            discovery.load();
        } catch (DiscoveryException e) {
            discovery.close();
            throw e;
        }
        return discovery;
    }

    /** What the file says now. @throws DiscoveryException with all problems */
    public static List<EndpointSpec> read(Path file) throws DiscoveryException {
        return EndpointFile.parse(file.toString(), text(file));
    }

    private synchronized void load() throws DiscoveryException {
        pool.replace(read(file));
        loaded = true;
    }

    /** Loads the file now; problems are logged and change nothing. */
    public synchronized void reload() {
        if (!loaded) {
            // The first load is still to come, and it is the one that may fail.
            return;
        }
        try {
            load();
            LOG.info("Endpoints from {}: {}", file, pool.members());
        } catch (DiscoveryException e) {
            LOG.error("Endpoints not changed, {} is wrong: {}", file, e.getMessage());
        }
    }

    @Override
    public void close() {
        FileWatcher running = watcher;
        if (running != null) {
            running.close();
        }
    }

    private static String text(Path file) throws DiscoveryException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(EndpointFile.MAX_BYTES + 1);
        } catch (NoSuchFileException e) {
            throw new DiscoveryException(List.of(file + ":1:1: no such file"));
        } catch (IOException e) {
            throw new DiscoveryException(List.of(file + ":1:1: cannot be read: " + e.getMessage()));
        }
        if (bytes.length > EndpointFile.MAX_BYTES) {
            throw new DiscoveryException(List.of(file + ":1:1: more than " + EndpointFile.MAX_BYTES + " bytes (expected: 1 MiB at most)"));
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new DiscoveryException(List.of(file + ":1:1: not UTF-8"));
        }
    }
}
