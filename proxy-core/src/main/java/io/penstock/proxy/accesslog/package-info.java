/** The access log: one JSON line a request, written on a thread of its own. */
@NullMarked
package io.penstock.proxy.accesslog;

import org.jspecify.annotations.NullMarked;
