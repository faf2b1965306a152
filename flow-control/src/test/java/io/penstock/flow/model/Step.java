package io.penstock.flow.model;

import java.util.Set;

/** One line of a script. Immutable. */
sealed interface Step {

    void on(Side side);

    /**
     * A request comes.
     *
     * @param receivedAgo nanoseconds since its head was there
     * @param slo nanoseconds to the first token, negative for none
     * @param owner 0 runs at once, 1 and 2 when told
     */
    record Submit(int id, String flow, int priority, long bytes, long ttl, long receivedAgo, long slo, long tokens, int owner)
            implements Step {

        @Override
        public void on(Side side) {
            side.submit(this);
        }
    }

    record Cancel(int id) implements Step {

        @Override
        public void on(Side side) {
            side.cancel(id);
        }
    }

    record Close(int id) implements Step {

        @Override
        public void on(Side side) {
            side.close(id);
        }
    }

    record Again(int id, int newId, boolean elsewhere) implements Step {

        @Override
        public void on(Side side) {
            side.again(id, newId, elsewhere);
        }
    }

    record Advance(long nanos) implements Step {

        @Override
        public void on(Side side) {
            side.advance(nanos);
        }
    }

    record Tick() implements Step {

        @Override
        public void on(Side side) {
            side.tick();
        }
    }

    record Saturate(int detector, double value) implements Step {

        @Override
        public void on(Side side) {
            side.saturate(detector, value);
        }
    }

    record Pool(int members) implements Step {

        @Override
        public void on(Side side) {
            side.pool(members);
        }
    }

    record Limit(int requests) implements Step {

        @Override
        public void on(Side side) {
            side.limit(requests);
        }
    }

    record Provision(Set<Integer> priorities) implements Step {

        @Override
        public void on(Side side) {
            side.provision(priorities);
        }
    }

    record Hold(boolean held) implements Step {

        @Override
        public void on(Side side) {
            side.hold(held);
        }
    }

    record Run(int owner) implements Step {

        @Override
        public void on(Side side) {
            side.run(owner);
        }
    }

    record Refuse(int owner) implements Step {

        @Override
        public void on(Side side) {
            side.refuse(owner);
        }
    }

    record BeginDrain() implements Step {

        @Override
        public void on(Side side) {
            side.beginDrain();
        }
    }

    record Shutdown() implements Step {

        @Override
        public void on(Side side) {
            side.shutdown();
        }
    }

    record Reload(Setup setup) implements Step {

        @Override
        public void on(Side side) {
            side.reload(setup);
        }

        @Override
        public String toString() {
            return "Reload\n" + setup.print().stripTrailing();
        }
    }
}
