#!/usr/bin/env bash
# Races between threads (jcstress): occupancy, tickets, the combiner's word, admission, leases. Each test names the outcomes that must never
# be seen. Ends non-zero when one was seen, when a test broke, when fewer tests ran than there are, and when it took too long. About 40 s on
# two quiet cores with JDK 25; twice the races, with and without biased locking, with JDK 17.
#   bench/races.sh                  all of them, quickly, in RACES_SECONDS (default: 180) at most
#   bench/races.sh -m default       longer; whatever follows goes to jcstress (-h lists it)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mvn -B -q -Praces -pl bench/races -am -DskipTests package
scratch=$PWD/bench/races/target/run
mkdir -p "$scratch"
cd "$scratch"
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
classpath="../classes:../lib/*"

seconds=0 # no limit
if [ $# -eq 0 ]; then
    seconds=${RACES_SECONDS:-180}
    # One compiler mode, the one that reorders most; small strides, since some states are whole controllers.
    set -- -m quick -f 1 -fsm 1 -iters 1 -time 250 -sc false -af NONE -spinStyle THREAD_YIELD -strideSize 64 -strideCount 16 \
        -jvmArgs "-Xmx256m -XX:+UnlockDiagnosticVMOptions -XX:-TieredCompilation -XX:+StressLCM -XX:+StressGCM"
fi
listed=$("$java" -cp "$classpath" org.openjdk.jcstress.Main "$@" -l | grep -c '^io\.penstock\.' || true)
if [ "$listed" -eq 0 ]; then
    echo "bench/races.sh: no race was found (expected: at least one)" >&2
    exit 1
fi

status=0
timeout --kill-after=10 "$seconds" "$java" -cp "$classpath" org.openjdk.jcstress.Main "$@" >races.txt 2>&1 || status=$?
if [ "$seconds" -gt 0 ] && { [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; }; then
    grep 'Results: ' races.txt | tail -n 1 >&2 || true
    echo "bench/races.sh: not done after $seconds s (expected: under a minute on a quiet machine; RACES_SECONDS allows more)" >&2
    exit 1
fi
result=$(grep -o 'Results: .*' races.txt | tail -n 1 || true)
# Interesting, failed, broken and other tests, as the summary counts them.
ran=$(sed -n 's/.*: \([0-9]*\) matching test results.*/\1/p' races.txt | awk '{sum += $1} END {print sum + 0}')
echo "races: $listed listed, $ran ran; ${result:-no result}"
if [ "$status" -ne 0 ] || ! grep -q ' passed, 0 failed, 0 soft errs, 0 hard errs' <<<"$result"; then
    grep -v '^(' races.txt | tail -n 200 >&2
    echo "bench/races.sh: a forbidden outcome was seen, or a race broke (expected: none); all of it in $scratch/races.txt" >&2
    exit 1
fi
if [ "$ran" -lt "$listed" ]; then
    tail -n 40 races.txt >&2
    echo "bench/races.sh: $ran races ran (expected: all $listed)" >&2
    exit 1
fi
