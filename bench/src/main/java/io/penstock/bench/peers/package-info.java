/** Penstock beside other proxies: interleaved rounds, tables, ratios and the guard that compares them with the last ones. */
@NullMarked
package io.penstock.bench.peers;

import org.jspecify.annotations.NullMarked;
