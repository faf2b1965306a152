package io.penstock.bench.scale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks another JVM for a full collection and for what its heap then holds. Stateless. */
final class LiveHeap {

    /** {@code jcmd GC.heap_info}, parallel collector: one line a generation. */
    private static final Pattern GENERATION = Pattern.compile("(?:PSYoungGen|ParOldGen)\\s+total \\d+K, used (\\d+)K");

    private static final int TRIES = 3;

    private LiveHeap() {
    }

    static long of(Path jcmd, long pid) {
        run(jcmd, pid, "GC.run");
        return used(run(jcmd, pid, "GC.heap_info"));
    }

    /** Bytes in use as {@code GC.heap_info} says them. */
    static long used(String info) {
        Matcher generation = GENERATION.matcher(info);
        long sum = 0;
        int found = 0;
        while (generation.find()) {
            sum += Long.parseLong(generation.group(1)) * 1024;
            found++;
        }
        if (found != 2) {
            throw new IllegalStateException("GC.heap_info: " + info + " (expected: PSYoungGen and ParOldGen)");
        }
        return sum;
    }

    /** On a busy machine a JVM may miss that it is asked to attach; so it is asked again, some times. */
    private static String run(Path jcmd, long pid, String command) {
        String printed = "";
        for (int i = 0; i < TRIES; i++) {
            try {
                Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), command).redirectErrorStream(true).start();
                printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (process.waitFor() == 0) {
                    return printed;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(jcmd + ": not started (expected: jcmd beside the Java in use)", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
        throw new IllegalStateException("jcmd " + command + ", " + TRIES + " times: " + printed.strip());
    }
}
