package io.penstock.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

    /** Whether the end has begun: on Ctrl-C before {@link #close} is called. */
    public synchronized boolean closed() {
        return closed;
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
        all.stream().filter(child -> child.process().isAlive()).forEach(Child::resume);
        all.forEach(Child::ask);
        for (int i = all.size() - 1; i >= 0; i--) {
            all.get(i).stop();
        }
        own.forEach(ProcessHandle::destroyForcibly);
    }

    /** One process. Any thread. */
    public static final class Child {
        private final Process process;
        private final List<String> command;
        private final Path log;
        private boolean asked;

        Child(Process process, List<String> command, Path log) {
            this.process = process;
            this.command = List.copyOf(command);
            this.log = log;
        }

        /** The process as Java knows it. */
        public Process process() {
            return process;
        }

        /** The program and its arguments, without the pinning. */
        public List<String> command() {
            return command;
        }

        /** Where its output goes. */
        public Path log() {
            return log;
        }

        /** The process id. */
        public long pid() {
            return process.pid();
        }

        /** Stops it and what it has started where they stand (SIGSTOP), so that they cost nothing while others are measured. */
        public void pause() {
            signal("STOP");
        }

        /** Lets it go on after {@link #pause}; without one it does nothing. */
        public void resume() {
            signal("CONT");
        }

        private void signal(String name) {
            List<String> kill = new ArrayList<>(List.of("kill", "-" + name, Long.toString(pid())));
            process.descendants().forEach(each -> kill.add(Long.toString(each.pid())));
            try {
                new ProcessBuilder(kill).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
            } catch (IOException e) {
                throw new UncheckedIOException(String.join(" ", kill) + ": not sent", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Once: a second signal means "at once" to a server that drains. */
        private synchronized void ask() {
            if (!asked) {
                asked = true;
                process.destroy();
            }
        }

        /** Ends it and what it has started: asks, and after 5 s kills. Returns when it has ended; the second call does nothing. */
        public void stop() {
            if (!process.isAlive()) {
                return;
            }
            List<ProcessHandle> own = process.descendants().toList();
            // A stopped process would not hear that it is asked to end.
            resume();
            ask();
            if (!waitFor(Duration.ofSeconds(TERM_SECONDS))) {
                process.destroyForcibly();
                waitFor(Duration.ofSeconds(TERM_SECONDS));
            }
            own.forEach(ProcessHandle::destroyForcibly);
        }

        /** Whether it ends within this time. */
        public boolean waitFor(Duration time) {
            try {
                return process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /** All of its output so far. */
        public String output() {
            try {
                return Files.readString(log);
            } catch (IOException e) {
                throw new UncheckedIOException(log + ": not readable", e);
            }
        }

        /** The last lines of its output, for a message. */
        public String tail(int lines) {
            List<String> all = output().lines().toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
        }
    }
}
