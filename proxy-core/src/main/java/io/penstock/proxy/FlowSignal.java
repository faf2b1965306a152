package io.penstock.proxy;

import io.penstock.flow.FlowController;
import org.jspecify.annotations.Nullable;

/** Lets what flow control is made of (placement, scraper) signal it before it exists. Any thread. */
final class FlowSignal implements Runnable {

    private volatile @Nullable FlowController flow;

    void to(FlowController controller) {
        flow = controller;
    }

    @Override
    public void run() {
        FlowController controller = flow;
        if (controller != null) {
            controller.signal();
        }
    }
}
