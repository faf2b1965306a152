package io.penstock.flow.engine;

import io.penstock.flow.config.FlowControlConfig;

/** What {@link FlowControllers#reconfigure} asks of a controller. Any thread; returns at once. */
interface Reconfigurable {

    void reconfigure(FlowControlConfig config, Collaborators with);
}
