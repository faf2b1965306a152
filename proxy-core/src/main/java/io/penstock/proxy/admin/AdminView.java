package io.penstock.proxy.admin;

import io.penstock.flow.BandView;
import io.penstock.flow.SaturationView;
import java.util.List;

/** What the admin port shows and does. Called on threads of that port, several at a time. */
public interface AdminView extends MetricsSource {

    /** Whether new requests should be sent here: false before the first discovery and while draining. */
    boolean ready();

    /** Whether the process works at all: a drain does not change it. */
    boolean live();

    /** All bands, highest priority first. */
    List<BandView> bands();

    /** The saturation that gates dispatch, and its parts. */
    SaturationView saturation();

    /** The pool's members. */
    List<EndpointRow> endpoints();

    /** Starts the drain and returns at once; a second call changes nothing. */
    void drain();
}
