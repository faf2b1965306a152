package io.penstock.proxy.accesslog;

import io.penstock.proxy.config.ProxyConfig;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Takes records from event loops and has them written by a thread of its own. {@link #write} never blocks: when the writer cannot keep up,
 * because a disk is full or nobody reads the pipe, records are lost and counted. A line appears at the latest {@value LogWriter#PAUSE_MS}
 * ms after its request when there is no such trouble.
 */
public final class AccessLog implements AutoCloseable {

    /** Records that may wait for the writer; some 300 bytes each. */
    private static final int CAPACITY = 8192;
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);
    private static final AccessLog OFF = new AccessLog(null, null, new LongAdder());

    private final @Nullable MpscAtomicArrayQueue<AccessRecord> queue;
    private final @Nullable LogWriter writer;
    private final LongAdder dropped;

    private AccessLog(@Nullable MpscAtomicArrayQueue<AccessRecord> queue, @Nullable LogWriter writer, LongAdder dropped) {
        this.queue = queue;
        this.writer = writer;
        this.dropped = dropped;
    }

    /**
     * Opens the log that the configuration names: {@code off}, {@code stdout} or a file, which is appended to.
     *
     * @param nanoClock monotonic, in nanoseconds
     * @throws IOException with a message that names the file and why it cannot be written
     */
    public static AccessLog open(ProxyConfig.AccessLog config, LongSupplier nanoClock) throws IOException {
        return switch (config.path()) {
            case "off" -> OFF;
            case "stdout" -> start(new StandardOutput(), CAPACITY, nanoClock);
            default -> start(file(config.path()), CAPACITY, nanoClock);
        };
    }

    private static OutputStream file(String path) throws IOException {
        File file = new File(path);
        File parent = file.getAbsoluteFile().getParentFile();
        if (parent != null && !parent.isDirectory()) {
            throw new IOException("accessLog.path: " + path + ": no such directory (expected: off, stdout or a file in a directory that is "
                    + "there)");
        }
        try {
            return new FileOutputStream(file, true);
        } catch (IOException e) {
            throw new IOException("accessLog.path: " + path + ": cannot be written (expected: off, stdout or a file)", e);
        }
    }

    static AccessLog start(OutputStream out, int capacity, LongSupplier nanoClock) {
        LongAdder dropped = new LongAdder();
        MpscAtomicArrayQueue<AccessRecord> queue = new MpscAtomicArrayQueue<>(capacity);
        LogWriter writer = new LogWriter(queue, out, dropped, nanoClock);
        writer.start();
        return new AccessLog(queue, writer, dropped);
    }

    /** Not System.out, whose lock and buffer are shared with whoever prints; and the process's, not ours to close. */
    private static final class StandardOutput extends FileOutputStream {
        StandardOutput() {
            super(FileDescriptor.out);
        }

        @Override
        public void close() {
        }
    }

    /** Whether records are wanted at all; ask before making one. */
    public boolean enabled() {
        return queue != null;
    }

    /** Takes a record, or counts it as lost. Any thread; no lock, no system call. */
    public void write(AccessRecord record) {
        if (queue != null && !queue.offer(record)) {
            dropped.increment();
        }
    }

    /** Records lost since start. */
    public long dropped() {
        return dropped.sum();
    }

    /** Writes what is queued, for at most two seconds, and stops. */
    @Override
    public void close() {
        if (writer != null) {
            writer.stop(LAST_WORDS);
        }
    }
}
