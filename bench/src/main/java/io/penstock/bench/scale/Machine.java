package io.penstock.bench.scale;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Where and how long to measure. Immutable.
 *
 * @param penstock the script
 * @param scratch a directory for configurations and logs
 * @param jcmd of the same JDK
 * @param cores of the machine, 1 or more; the proxy gets the first, with more than one loop all
 * @param descriptors that this process and the proxy may have open, each
 * @param warm before the first figure of a process
 * @param point of one figure
 * @param repeats of each point, 1 or more
 */
record Machine(Path penstock, Path scratch, Path jcmd, int cores, long descriptors, Duration warm, Duration point, int repeats) {

    /** How to start the proxy on its core; this process is kept on the last one by bench/scale.sh. */
    List<String> pin(int loops) {
        String set = loops == 1 ? "0" : "0-" + (cores - 1);
        return List.of("taskset", "-c", set);
    }
}
