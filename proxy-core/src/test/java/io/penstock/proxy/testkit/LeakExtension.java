package io.penstock.proxy.testkit;

import io.netty.util.LeakPresenceDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class after which a Netty buffer is still held. It is registered for every class by itself and runs after the class's own
 * clean-up. Event loops release in their own time, so it waits a little before it calls something a leak. Classes must not run in parallel.
 */
public final class LeakExtension implements AfterAllCallback {

    private static final String WHERE =
            " (where it was made: -Dtest.flags=-Dio.netty.util.LeakPresenceDetector.trackCreationStack=true)";
    private static final Duration GRACE = Duration.ofSeconds(5);

    @Override
    public void afterAll(ExtensionContext context) {
        // A nested class shares its servers with the outer one, which closes them later.
        boolean nested = context.getParent().flatMap(ExtensionContext::getTestClass).isPresent();
        if (!nested && inUse()) {
            check(context.getDisplayName(), GRACE);
        }
    }

    /** False in a run without the build's flags, such as an IDE's. */
    static boolean inUse() {
        return ResourceLeakDetectorFactory.instance().newResourceLeakDetector(Object.class) instanceof LeakPresenceDetector;
    }

    static void check(String who, Duration grace) {
        Peek peek = new Peek();
        if (!peek.clean()) {
            try {
                Awaitility.await().atMost(grace).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(peek::clean);
            } catch (ConditionTimeoutException ignored) {
                // The check below says it, and starts the next class from zero.
            }
        }
        try {
            LeakPresenceDetector.check();
        } catch (IllegalStateException e) {
            throw new AssertionError(who + ": " + e.getMessage() + WHERE, e);
        }
    }

    /** Looks at the count without setting it back, which the check does. */
    private static final class Peek extends LeakPresenceDetector<Object> {

        Peek() {
            super(Object.class);
        }

        boolean clean() {
            return !currentScope().hasOpenResources();
        }
    }
}
