#!/usr/bin/env bash
# Flow control without a socket: JMH with -prof gc on every JDK at hand, then 100 000 waiting requests, then whole requests between the two
# codecs with flow control and without. Prints one line a benchmark; about
# nine minutes on two quiet cores. What it printed last is in docs/benchmarks.md.
#   bench/flow.sh                 everything, briefly
#   bench/flow.sh Pick            only what matches
#   JMH="-wi 5 -i 5" bench/flow.sh FlowBenchmark    with other JMH options
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
only=${1:-}
options=${JMH:--wi 2 -w 500ms -i 3 -r 500ms}
results=$PWD/bench/target/flow
mkdir -p "$results"

mvn -B -q -pl bench -am -DskipTests package dependency:build-classpath -Dmdep.outputFile="$results/classpath" -Dmdep.includeScope=runtime
classpath=bench/target/classes:$(cat "$results/classpath")

jdks() {
    local home seen=" "
    for home in "${JAVA_HOME:-}" /usr/lib/jvm/*17* /usr/lib/jvm/*25*; do
        [ -n "$home" ] && [ -x "$home/bin/java" ] || continue
        home=$(readlink -f "$home")
        case $seen in
            *" $home "*) ;;
            *) seen="$seen$home "; echo "$home" ;;
        esac
    done
}

# name, parameters, score, error, unit, bytes per operation; from JMH's CSV
table() {
    python3 - "$1" <<'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
bytes_of = {}
def key(row):
    return row['Benchmark'].split(':')[0], tuple((k, v) for k, v in row.items() if k.startswith('Param')), row['Threads']
for row in rows:
    if row['Benchmark'].endswith('gc.alloc.rate.norm'):
        bytes_of[key(row)] = row['Score']
for row in rows:
    if ':' in row['Benchmark']:
        continue
    name = '.'.join(row['Benchmark'].split('.')[-2:])
    params = ' '.join(f"{k[7:]}={v}" for k, v in row.items() if k.startswith('Param') and v)
    score, error = float(row['Score']), float(row['Score Error (99.9%)'] or 'nan')
    size = float(bytes_of.get(key(row), 'nan'))
    print(f"{name:40} {params:60} {score:14,.1f} +-{error:12,.1f} {row['Unit']:6} {size:8.1f} B/op")
PY
}

run() {
    local home=$1 name=$2 benchmark=$3
    shift 3
    if [ -n "$only" ] && ! grep -q "$only" <<<"$benchmark"; then
        return
    fi
    # shellcheck disable=SC2086
    "$home/bin/java" -cp "$classpath" org.openjdk.jmh.Main "$benchmark" $options "$@" -f 1 -prof gc -foe true \
        -rf csv -rff "$results/$name.csv" >"$results/$name.txt" 2>&1 || { tail -n 40 "$results/$name.txt" >&2; exit 1; }
    table "$results/$name.csv"
}

ran=0
for home in $(jdks); do
    version=$("$home/bin/java" -version 2>&1 | head -n 1)
    id=$(basename "$home")
    printf '\n== %s, %s, %s cores\n' "$version" "$(date +%F)" "$(nproc)"
    run "$home" "$id-rows" 'FlowBenchmark'
    run "$home" "$id-header" 'HeadroomBenchmark'
    run "$home" "$id-matrix1" 'FlowMatrixBenchmark.oneProducer'
    run "$home" "$id-matrix2" 'FlowMatrixBenchmark.twoProducers' -p flows=10,5000 -p waiting=0,5000
    run "$home" "$id-pick" 'PickBenchmark'
    (options='-wi 10 -i 10' && run "$home" "$id-cancel" 'CancelBenchmark')
    if [ -z "$only" ] || grep -q "$only" <<<FlowScale; then
        "$home/bin/java" -cp "$classpath" -Xmx2g -Xmn1500m -XX:+UseParallelGC io.penstock.bench.FlowScale
    fi
    if [ -z "$only" ] || grep -q "$only" <<<HandlerCost; then
        "$home/bin/java" -cp "$classpath" -Xmx512m -Xmn8m -XX:+UseParallelGC io.penstock.proxy.HandlerCost
    fi
    ran=$((ran + 1))
done
if [ "$ran" -eq 0 ]; then
    echo "bench/flow.sh: no JDK under JAVA_HOME or /usr/lib/jvm (expected: at least one)" >&2
    exit 1
fi
