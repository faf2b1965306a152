package io.penstock.proxy.endpoint;

/** Whether placement chooses an endpoint. */
public enum HealthState {
    /** It answers, or has not failed often enough. */
    HEALTHY,
    /** It is out for some time. */
    EJECTED,
    /** Its time out is over: a request now and then tries it. */
    PROBING
}
