#!/usr/bin/env bash
# What the headroom header is worth: dispatchers with different control laws before the real product and a simulated pool, in under thirty
# minutes. Writes tables (figures.md) and pictures (*.svg) to docs/headroom; docs/headroom.md says what they mean.
#   bench/headroom.sh                         everything, five rounds
#   bench/headroom.sh --quick                 one short round, two minutes, to bench/target/headroom
#   bench/headroom.sh --only 'R=4$'           cells whose key matches (key: table | law | band | interactive load | R=dispatchers)
#   bench/headroom.sh --rounds N --out DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$PWD/bench/target/headroom
mkdir -p "$work"

mvn -B -q -pl bench -am -DskipTests package dependency:build-classpath -Dmdep.outputFile="$work/classpath" -Dmdep.includeScope=runtime
touch proxy-core/target/penstock.jar

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
flags=(-XX:+UseParallelGC -Xmx512m "-Dpenstock.root=$PWD")
version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
if [ "$version" -ge 24 ]; then
    flags+=(--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED)
fi
exec "$java" "${flags[@]}" -cp "bench/target/classes:$(cat "$work/classpath")" io.penstock.bench.headroom.Experiment "$@"
