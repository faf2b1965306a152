package io.penstock.bench.load;

import java.util.List;

/**
 * Reads the texts of /proc (proc(5)). No state; any thread.
 */
final class ProcessStat {

    /** Fields 14 and 15 of /proc/PID/stat, counted after the name, which may hold spaces and parentheses: field 3 is the first there. */
    private static final int UTIME = 14 - 3;
    private static final int STIME = 15 - 3;

    private ProcessStat() {
    }

    /** User and system time of all threads, living and ended, in clock ticks. */
    static long cpuTicks(String stat) {
        int name = stat.lastIndexOf(')');
        String[] fields = name < 0 ? new String[0] : stat.substring(name + 1).trim().split(" ");
        if (fields.length <= STIME) {
            throw new IllegalArgumentException("stat: " + stat.strip() + " (expected: at least 15 fields)");
        }
        return Long.parseLong(fields[UTIME]) + Long.parseLong(fields[STIME]);
    }

    /** The number of a line of /proc/PID/status, such as {@code VmRSS} in kB; 0 where the line is missing, as in a zombie. */
    static long number(List<String> status, String name) {
        for (String line : status) {
            if (line.startsWith(name + ":")) {
                return Long.parseLong(line.substring(name.length() + 1).trim().split("\\s+")[0]);
            }
        }
        return 0;
    }
}
