package io.penstock.bench.peers;

import java.util.List;

/**
 * Which core does what; -1 for any, on a machine that has only one. Immutable.
 *
 * @param proxy of the target that is measured
 * @param load of h2load, our clients and the backend
 */
record Cores(int proxy, int load) {

    /** Binds all threads of this process, and those they start, to the load's core. */
    void bindThisProcess() {
        if (load >= 0) {
            String pid = Long.toString(ProcessHandle.current().pid());
            if (Tools.output(List.of("taskset", "-a", "-c", "-p", Integer.toString(load), pid)).isEmpty()) {
                throw new IllegalStateException("taskset: core " + load + " refused (expected: one of this machine's, see nproc)");
            }
        }
    }
}
