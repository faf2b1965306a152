#!/usr/bin/env bash
# How many instructions the headroom header costs a response, counted by Cachegrind and not by the processor: virtual machines seldom
# have its counters. A loop of 300 000 responses against one of 100 000 leaves out start, compilers and collector; with the header against
# without it leaves out the rest of the head. About two minutes. Needs valgrind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v valgrind >/dev/null || { echo "bench/instructions.sh: valgrind: not on the PATH (expected: installed, as by apt-get install valgrind)" >&2; exit 1; }
# shellcheck source=bench/build.sh
. bench/build.sh
report=$PWD/bench/target/instructions
mkdir -p "$report"

# Instructions of one run. The JVM's own traps need exact registers at every access to memory.
count() {
    local out="$report/$1-$2.txt"
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --smc-check=all-non-file \
        --vex-iropt-register-updates=allregs-at-mem-access \
        "$java" -Xbatch -XX:-TieredCompilation -XX:UseAVX=2 -XX:+UseSerialGC -Xmx256m -Xmn128m -XX:-UsePerfData -XX:CICompilerCount=1 \
        -XX:ErrorFile="$report/error.log" -cp "$classpath" io.penstock.proxy.handler.HeadroomLoop "$1" "$2" >"$out" 2>&1 \
        || { tail -n 20 "$out" >&2; exit 1; }
    sed -n 's/.*I *refs: *//p' "$out" | tr -d ,
}

each() {
    local short long
    short=$(count "$1" 100000)
    long=$(count "$1" 300000)
    echo $(((long - short) / 200000))
}

with=$(each headroom)
without=$(each without)
echo "instructions a response head: $with with the headroom header, $without without; the header: $((with - without))"
