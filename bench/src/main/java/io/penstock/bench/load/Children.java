package io.penstock.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Every process that a measurement starts: pinned to a core, its output in a file, and ended by its own pid when this is closed or the
 * JVM ends, on Ctrl-C too. Any thread.
 */
public final class Children implements AutoCloseable {

    private static final long TERM_SECONDS = 5;

    private final List<Child> children = new ArrayList<>();
    private final Thread hook = new Thread(this::stopAll, "bench-children");
    private boolean closed;

    /** An empty set, which ends its processes when the JVM ends. */
    public Children() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts a process.
     *
     * @param command the program and its arguments
     * @param core the core that it may run on, from 0; -1 for any
     * @param environment variables set besides those of this process
     * @param log the file that gets its standard output and error, replaced
     * @throws UncheckedIOException where the program cannot be started
     */
    public synchronized Child start(List<String> command, int core, Map<String, String> environment, Path log) {
        if (closed) {
            throw new IllegalStateException("closed: no process is started any more");
        }
        List<String> pinned = new ArrayList<>();
        if (core >= 0) {
            // taskset replaces itself with the program, so the pid stays the one that we know.
            pinned.addAll(List.of("taskset", "-c", Integer.toString(core)));
        }
        pinned.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(pinned).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            Process process = builder.start();
            process.getOutputStream().close();
            Child child = new Child(process, command, log);
            children.add(child);
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException(command.get(0) + ": not started", e);
        }
    }

    /** Ends all processes, first those that were started last; returns when they have ended. */
    @Override
    public void close() {
        stopAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ignored) {
            // The JVM is ending already, and the hook is what does this.
        }
    }

    private void stopAll() {
        List<Child> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(children);
        }
        // What a child has started is no longer its own once it has ended: so it is looked up first.
        List<ProcessHandle> own = all.stream().flatMap(child -> child.process().descendants()).toList();
        all.forEach(child -> child.process().destroy());
        for (int i = all.size() - 1; i >= 0; i--) {
            all.get(i).stop();
        }
        own.forEach(ProcessHandle::destroyForcibly);
    }

    /**
     * One process.
     *
     * @param process as Java knows it
     * @param command the program and its arguments, without the pinning
     * @param log where its output goes
     */
    public record Child(Process process, List<String> command, Path log) {

        /** The process id. */
        public long pid() {
            return process.pid();
        }

        /** Ends it and what it has started: asks, and after 5 s kills. Returns when it has ended; the second call does nothing. */
        public void stop() {
            List<ProcessHandle> own = process.descendants().toList();
            process.destroy();
            if (!waitFor(TERM_SECONDS)) {
                process.destroyForcibly();
                waitFor(TERM_SECONDS);
            }
            own.forEach(ProcessHandle::destroyForcibly);
        }

        /** Whether it ends within so many seconds. */
        public boolean waitFor(long seconds) {
            try {
                return process.waitFor(seconds, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /** The last lines of its output, for a message. */
        public String tail(int lines) {
            try {
                List<String> all = Files.readAllLines(log);
                return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
            } catch (IOException e) {
                return log + ": " + e.getMessage();
            }
        }
    }
}
