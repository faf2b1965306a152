package io.penstock.bench.peers;

import io.penstock.bench.load.Account;
import io.penstock.bench.load.Children.Child;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A target that has been started. Immutable.
 *
 * @param target which one
 * @param port where it takes h2c
 * @param admin Penstock's admin port; 0 for others
 * @param processes its own; none for the stub alone
 * @param startMillis from the start of its first process until it took requests
 */
record Running(Target target, int port, int admin, List<Child> processes, double startMillis) {

    private static final int READY_TRIES = 100;

    Account account() {
        return Account.of(processes.stream().map(Child::pid).toList());
    }

    void pause() {
        processes.forEach(Child::pause);
    }

    /** @throws Failure where one of its processes has ended */
    void resume() {
        for (Child child : processes) {
            if (!child.process().isAlive()) {
                throw new Failure(target.name() + ": " + child.command().get(0) + " has ended: " + child.tail(5));
            }
            child.resume();
        }
        // One answer of its own shows that timers which ran out while it stood still have had their turn.
        for (int tries = 0; admin != 0 && tries < READY_TRIES && get(admin, "/ready").isEmpty(); tries++) {
            processes.get(0).waitFor(Duration.ofMillis(100));
        }
    }

    /** The body of a page of the admin port, or nothing where it is not there or says no. */
    static String get(int port, String path) {
        try {
            HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
            connection.setConnectTimeout(1_000);
            connection.setReadTimeout(5_000);
            if (connection.getResponseCode() != 200) {
                return "";
            }
            try (var in = connection.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException ignored) {
            return "";
        }
    }
}
