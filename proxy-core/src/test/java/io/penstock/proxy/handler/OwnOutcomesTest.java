package io.penstock.proxy.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.flow.Ticket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Which outcomes run when the submission has returned, and which are left to the loop. */
class OwnOutcomesTest {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final OwnOutcomes outcomes = new OwnOutcomes(tasks::add);

    /** An outcome that notes its name when it runs. */
    private record Outcome(boolean dispatched, Runnable action) implements Ticket, Runnable {

        @Override
        public boolean cancel() {
            return false;
        }

        @Override
        public void run() {
            action.run();
        }
    }

    private Outcome dispatch(String name) {
        return new Outcome(true, () -> ran.add(name));
    }

    private Outcome refusal(String name) {
        return new Outcome(false, () -> ran.add(name));
    }

    @Test
    void dispatchesRunInOrderWhenTheSubmissionHasReturned() {
        outcomes.submitting(true);
        outcomes.execute(dispatch("a"));
        outcomes.execute(dispatch("b"));
        assertThat(ran).isEmpty();
        outcomes.submitted();
        assertThat(ran).containsExactly("a", "b");
        assertThat(tasks).isEmpty();
    }

    @Test
    void refusalsAndEverythingOutsideOfASubmissionAreTasks() {
        outcomes.execute(dispatch("before"));
        outcomes.submitting(true);
        outcomes.execute(refusal("refused"));
        outcomes.execute(() -> ran.add("evicted"));
        outcomes.submitted();
        outcomes.execute(dispatch("after"));
        outcomes.submitting(false);
        outcomes.execute(dispatch("asked for"));
        outcomes.submitted();
        assertThat(ran).isEmpty();
        tasks.forEach(Runnable::run);
        assertThat(ran).containsExactly("before", "refused", "evicted", "after", "asked for");
    }

    @Test
    void whatAnotherThreadDeliversInTheMeantimeIsATask() throws InterruptedException {
        outcomes.submitting(true);
        Thread other = new Thread(() -> outcomes.execute(dispatch("other's")));
        other.start();
        other.join();
        outcomes.submitted();
        assertThat(ran).isEmpty();
        assertThat(tasks).hasSize(1);
    }

    @Test
    void whatAnOutcomeSubmitsIsATaskHoweverLongTheLine() {
        outcomes.submitting(true);
        outcomes.execute(new Outcome(true, () -> {
            outcomes.submitting(true);
            outcomes.execute(dispatch("nested"));
            outcomes.submitted();
            ran.add("outer");
        }));
        outcomes.execute(dispatch("next"));
        outcomes.submitted();
        assertThat(ran).containsExactly("outer", "next");
        assertThat(tasks).hasSize(1);
    }

    @Test
    void anOutcomeThatThrowsKeepsNoOtherFromRunning() {
        outcomes.submitting(true);
        outcomes.execute(new Outcome(true, () -> {
            throw new IllegalStateException("broken");
        }));
        outcomes.execute(dispatch("other"));
        assertThatThrownBy(outcomes::submitted).hasMessage("broken");
        assertThat(tasks).hasSize(1);
        outcomes.submitting(true);
        outcomes.execute(dispatch("later"));
        outcomes.submitted();
        assertThat(ran).containsExactly("later");
    }
}
