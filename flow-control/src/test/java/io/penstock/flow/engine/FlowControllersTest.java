package io.penstock.flow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.FlowController;
import io.penstock.flow.config.FlowControlConfig;
import io.penstock.flow.testkit.FakeEndpoint;
import io.penstock.flow.testkit.FakePlacement;
import io.penstock.flow.testkit.Gate;
import io.penstock.flow.testkit.ManualClock;
import io.penstock.flow.testkit.RecordingListener;
import io.penstock.flow.testkit.TestRequest;
import org.junit.jupiter.api.Test;

class FlowControllersTest {

    private final FakeEndpoint endpoint = new FakeEndpoint("e1");
    private final Collaborators with = Collaborators.of(Gate.opened(), new FakePlacement(() -> FakeEndpoint.pool(endpoint)),
            () -> FakeEndpoint.pool(endpoint), new ManualClock());

    @Test
    void onAdmitsAndOffPasses() {
        RecordingListener on = submit(FlowControllers.create(FlowControlConfig.defaults(), with));
        RecordingListener off = submit(FlowControllers.shedding(with));
        assertThat(on.dispatched()).isTrue();
        assertThat(on.passed()).isFalse();
        assertThat(off.passed()).isTrue();
        assertThat(off.dispatched()).isFalse();
    }

    private static RecordingListener submit(FlowController controller) {
        RecordingListener listener = new RecordingListener();
        controller.submit(TestRequest.in(0), listener, Runnable::run);
        return listener;
    }
}
