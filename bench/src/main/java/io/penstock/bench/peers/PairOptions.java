package io.penstock.bench.peers;

import java.nio.file.Path;
import java.util.List;

/**
 * An Envoy and an endpoint picker that the user has built and configured. {@code {port}}, {@code {picker}}, {@code {backend0}} and
 * {@code {backend1}} in both are filled in. Immutable.
 *
 * @param command the picker's program and arguments
 * @param envoyFile Envoy's configuration, which calls the picker over ext_proc
 */
record PairOptions(List<String> command, Path envoyFile) {
}
