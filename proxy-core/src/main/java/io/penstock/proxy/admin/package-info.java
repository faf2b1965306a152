/** The operator's ports: probes, metrics, bands, endpoints, drain. On threads of their own, never on an event loop. */
@NullMarked
package io.penstock.proxy.admin;

import org.jspecify.annotations.NullMarked;
