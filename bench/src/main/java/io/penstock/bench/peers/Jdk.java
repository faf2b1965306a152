package io.penstock.bench.peers;

import java.nio.file.Path;

/**
 * A Java runtime that Penstock is started on. Immutable.
 *
 * @param feature its feature release, such as 17
 * @param version its full version
 * @param home where it lies
 */
record Jdk(int feature, String version, Path home) {

    Path java() {
        return home.resolve("bin/java");
    }
}
