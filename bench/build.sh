#!/usr/bin/env bash
# For bench/run and bench/guard, at the root of the repository: builds the jar and the benchmarks where they are missing or older than their
# sources, and sets $java and $classpath.
stamp=bench/target/peers/classpath

stale() {
    [ -f "$stamp" ] && [ -f proxy-core/target/penstock.jar ] || return 0
    [ -n "$(find pom.xml LICENSE ./*/pom.xml ./*/src/main -newer "$stamp" -print 2>/dev/null | head -n 1)" ]
}

if stale; then
    command -v mvn >/dev/null 2>&1 || { echo "bench: mvn: not on the PATH (expected: Maven 3.8.5 or later)" >&2; exit 1; }
    echo "bench: building" >&2
    mkdir -p bench/target/peers
    mvn -q -B -pl bench -am -DskipTests package dependency:build-classpath \
        -Dmdep.outputFile="$PWD/$stamp" -Dmdep.includeScope=runtime >&2
    # A build that had nothing to do leaves the old times, and would run again.
    touch proxy-core/target/penstock.jar "$stamp"
fi

if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
else
    java=$(command -v java) || { echo "bench: java: not on the PATH and JAVA_HOME not set (expected: Java 17 or later)" >&2; exit 1; }
fi
classpath=bench/target/classes:$(cat "$stamp")
export java classpath
