#!/usr/bin/env bash
# Time from exec of ./penstock serve to 200 from /ready, with a class archive and without, in turn, on every JDK at hand; median and range.
# Contract: at most 700 ms. About a minute on two quiet cores; what it printed last is in docs/benchmarks-growth.md.
#   bench/start.sh [RUNS]      (default: 11)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
runs=${1:-11}
case $runs in
    ''|*[!0-9]*|0) echo "bench/start.sh: $runs (expected: how many starts of each row)" >&2; exit 2 ;;
esac
# shellcheck source=bench/build.sh
. bench/build.sh

homes=()
seen=" "
for home in "${JAVA_HOME:-}" /usr/lib/jvm/*17* /usr/lib/jvm/*25*; do
    [ -n "$home" ] && [ -x "$home/bin/java" ] || continue
    home=$(readlink -f "$home")
    case $seen in
        *" $home "*) ;;
        *) seen="$seen$home "; homes+=("$home"); JAVA_HOME=$home ./penstock archive >/dev/null ;;
    esac
done
[ "${#homes[@]}" -gt 0 ] || { echo "bench/start.sh: no JDK under JAVA_HOME or /usr/lib/jvm (expected: at least one)" >&2; exit 1; }
exec "${homes[0]}/bin/java" -cp "$classpath" io.penstock.bench.scale.StartMain "$PWD" "$runs" "${homes[@]}"
