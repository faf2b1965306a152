/**
 * The simulated vLLM server, the scripted backend that tests drive (both on one small HTTP/1.1 server), and the demo. Nothing in the data
 * path depends on this package.
 */
@NullMarked
package io.penstock.proxy.demo;

import org.jspecify.annotations.NullMarked;
