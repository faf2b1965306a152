package io.penstock.bench.scale;

/** What a point tells. */
enum Figure {
    START("ms to /ready", 0),
    RATE("requests/s", 0),
    CPU("CPU µs/request", 1),
    MEGABYTES("MB/s of bodies", 0),
    CPU_MEGABYTE("CPU µs/MB", 0),
    IDLE("CPU ms/s without load", 0),
    TAKEN("µs of CPU to take one in", 1),
    LEFT("µs of CPU to let one go", 1),
    HEAP_EACH("live heap each, bytes", 0),
    RESIDENT_EACH("resident each, bytes", 0),
    RESIDENT("resident, MiB", 0);

    private final String title;
    private final int decimals;

    Figure(String title, int decimals) {
        this.title = title;
        this.decimals = decimals;
    }

    String title() {
        return title;
    }

    int decimals() {
        return decimals;
    }
}
