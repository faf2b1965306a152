/** What the handlers and both sides of the proxy share: the exchanges, a request's context and phases, header names, faults. */
@NullMarked
package io.penstock.proxy.request;

import org.jspecify.annotations.NullMarked;
