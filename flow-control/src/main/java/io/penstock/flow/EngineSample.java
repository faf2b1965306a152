package io.penstock.flow;

/**
 * What one scrape of a model server's metrics said.
 *
 * @param atNanos when the answer was complete, on the same clock as the controller's
 * @param waiting requests in the engine's own queue
 * @param running requests that the engine runs, or -1 where it does not say
 * @param kvCacheUsage fraction of the KV cache in use, 0 to 1
 */
public record EngineSample(long atNanos, int waiting, int running, double kvCacheUsage) {
}
