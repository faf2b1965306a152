/** Growth curves: what Penstock costs as connections, streams, endpoints, bands, flows, waiting requests or bodies grow. */
@NullMarked
package io.penstock.bench.scale;

import org.jspecify.annotations.NullMarked;
