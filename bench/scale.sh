#!/usr/bin/env bash
# Growth: what throughput, CPU and memory do while event loops, connections, streams, model servers, bands, flows, waiting requests and
# bodies grow. Prints one table a curve and leaves it, with all values as JSON, in bench/target/scale; about twelve minutes on two quiet
# cores. What it printed last is in docs/benchmarks-growth.md.
#   bench/scale.sh                          all curves
#   bench/scale.sh --only waiting           one of loops, connections, streams, endpoints, bands, flows, waiting, bodies; may stand twice
#   REPEATS=5 WARM=20000 POINT=4000 bench/scale.sh     more often, and longer (milliseconds)
# The proxy runs on the first core, load and backends on the last one; taskset and a JDK on JAVA_HOME or the PATH are needed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
curves=()
while [ $# -gt 0 ]; do
    case $1 in
        --only) [ $# -gt 1 ] || { echo "bench/scale.sh: --only: no curve after it" >&2; exit 2; }; curves+=("$2"); shift 2 ;;
        *) echo "bench/scale.sh: $1 (expected: --only CURVE)" >&2; exit 2 ;;
    esac
done
cores=$(nproc)
[ "$cores" -ge 2 ] || { echo "bench/scale.sh: one core (expected: two or more, load and proxy apart)" >&2; exit 1; }

# 10 000 connections need as many descriptors in either process. The hard limit is the most that may be had without being root.
wanted=32768
ulimit -n "$wanted" 2>/dev/null || ulimit -n "$(ulimit -Hn)"
if [ "$(ulimit -n)" -lt 10500 ]; then
    echo "bench/scale.sh: open files: $(ulimit -n), hard limit $(ulimit -Hn) (expected: 10500 for all points; those beyond are left out, and named)" >&2
fi

# shellcheck source=bench/build.sh
. bench/build.sh
mkdir -p bench/target/scale
exec taskset -c $((cores - 1)) "$java" -Xmx3g -XX:+UseParallelGC -cp "$classpath" \
    io.penstock.bench.scale.ScaleMain "$PWD" "$cores" "${REPEATS:-3}" "${WARM:-8000}" "${POINT:-2000}" "${curves[@]}"
