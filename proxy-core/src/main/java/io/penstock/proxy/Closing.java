package io.penstock.proxy;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what was started, in the opposite order, each part whatever happened to the others. One thread. */
final class Closing implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T part) {
        started.push(part);
        return part;
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                LOG.warn("A part did not close: {}", e.toString());
            }
        }
    }
}
