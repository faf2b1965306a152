package io.penstock.bench.headroom;

/** What stands between dispatchers and model servers while a cell runs. */
enum Stage {
    /** The product as a process of its own. */
    PROCESS,
    /** The same, before model servers that send {@code x-llm-d-flow-band-headroom-requests: 500} themselves. */
    SPOOFED,
    /** The product inside this process, whose model servers note each band's headroom when a request arrives: at admission. */
    SAMPLED,
    /** The product inside this process, with a batch objective whose band never comes to be, so that band 0 takes its requests. */
    FALLBACK
}
