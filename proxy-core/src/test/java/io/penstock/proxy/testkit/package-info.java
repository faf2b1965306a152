/** What tests of the proxy stand on: raw clients that can break every rule, the leak check, h2spec, throw-away certificates. */
@NullMarked
package io.penstock.proxy.testkit;

import org.jspecify.annotations.NullMarked;
