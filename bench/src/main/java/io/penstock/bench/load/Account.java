package io.penstock.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What processes have used, from the kernel's own accounts in /proc: all of each process's threads, and its child processes' too (a
 * server with workers is one target). Linux only. Immutable.
 *
 * @param cpuMicros user and system time since the start, in microseconds; counted by the kernel in ticks of 10 ms
 * @param residentKiB memory now
 * @param peakKiB highest memory so far, a sum of each process's own peak
 * @param switches voluntary and involuntary context switches of the living threads
 */
public record Account(long cpuMicros, long residentKiB, long peakKiB, long switches) {

    private static final long MICROS_PER_TICK = 1_000_000 / ticksPerSecond();
    private static final Path PROC = Path.of("/proc");

    /** The sum over these processes and their descendants. */
    public static Account of(List<Long> pids) {
        Account sum = new Account(0, 0, 0, 0);
        for (long pid : pids) {
            sum = sum.plus(one(pid));
            Optional<ProcessHandle> handle = ProcessHandle.of(pid);
            for (ProcessHandle child : handle.map(each -> each.descendants().toList()).orElse(List.of())) {
                sum = sum.plus(one(child.pid()));
            }
        }
        return sum;
    }

    /** CPU time between an earlier account and this one, in microseconds. */
    public long cpuMicrosSince(Account earlier) {
        return cpuMicros - earlier.cpuMicros;
    }

    private Account plus(Account other) {
        return new Account(cpuMicros + other.cpuMicros, residentKiB + other.residentKiB, peakKiB + other.peakKiB,
                switches + other.switches);
    }

    private static Account one(long pid) {
        Path process = PROC.resolve(Long.toString(pid));
        try {
            long ticks = ProcessStat.cpuTicks(Files.readString(process.resolve("stat")));
            List<String> status = Files.readAllLines(process.resolve("status"));
            return new Account(ticks * MICROS_PER_TICK, ProcessStat.number(status, "VmRSS"), ProcessStat.number(status, "VmHWM"),
                    switches(process));
        } catch (IOException e) {
            throw new UncheckedIOException(process + ": no account (expected: a running process)", e);
        }
    }

    private static long switches(Path process) throws IOException {
        long sum = 0;
        try (Stream<Path> tasks = Files.list(process.resolve("task"))) {
            for (Path task : tasks.toList()) {
                sum += switchesOfTask(task);
            }
        }
        return sum;
    }

    private static long switchesOfTask(Path task) throws IOException {
        try {
            List<String> status = Files.readAllLines(task.resolve("status"));
            return ProcessStat.number(status, "voluntary_ctxt_switches") + ProcessStat.number(status, "nonvoluntary_ctxt_switches");
        } catch (IOException ignored) {
            // The thread has ended since the directory was read.
            return 0;
        }
    }

    private static long ticksPerSecond() {
        try {
            Process getconf = new ProcessBuilder("getconf", "CLK_TCK").start();
            try (var out = getconf.inputReader()) {
                return Long.parseLong(out.readLine().trim());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("getconf CLK_TCK: no answer (expected: the kernel's ticks a second)", e);
        }
    }
}
