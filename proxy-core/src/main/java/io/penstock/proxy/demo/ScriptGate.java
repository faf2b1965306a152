package io.penstock.proxy.demo;

import java.util.ArrayDeque;

/** A gate at which scripts wait, open or closed. Only the backend's event loop uses it. */
final class ScriptGate {

    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean open;
    private int permits;

    ScriptGate(boolean open) {
        this.open = open;
    }

    /** Whether the caller may go on; if not, it is run later. */
    boolean pass(Runnable later) {
        if (open) {
            return true;
        }
        if (permits > 0) {
            permits--;
            return true;
        }
        waiting.add(later);
        return false;
    }

    void close() {
        open = false;
        permits = 0;
    }

    void open() {
        open = true;
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }

    /** Lets the oldest one go, or the next to come. */
    void letOneGo() {
        Runnable next = waiting.poll();
        if (next == null) {
            permits++;
        } else {
            next.run();
        }
    }

    /** Whoever waits no more. */
    void forget(Runnable later) {
        waiting.remove(later);
    }
}
