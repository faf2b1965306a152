package io.penstock.bench.peers;

/** The programs that are measured. */
enum Kind {
    PENSTOCK("Penstock"), HAPROXY("HAProxy"), NGINX("nginx"), ENVOY("Envoy"),
    /** Envoy and llm-d's endpoint picker, as one target. */
    PAIR("Envoy + picker"),
    /** The backend stub itself: no proxy, for what load and network cost by themselves. */
    DIRECT("no proxy");

    private final String label;

    Kind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
