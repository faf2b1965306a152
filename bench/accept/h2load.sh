#!/bin/sh
# Sends a bounded flood at a proxy with a small band and checks that nothing is lost: every status in h2load's log is 200 or 429, both occur,
# their number is the number sent, and afterwards nothing waits and nothing runs.
#
# usage: bench/accept/h2load.sh [REQUESTS]     (default 400000; needs h2load and curl)
set -eu

requests=${1:-400000}
root=$(cd "$(dirname "$0")/../.." && pwd)
jar=$root/proxy-core/target/penstock.jar
work=$(mktemp -d)
pids=
# shellcheck disable=SC2086 # several process ids
stop() { [ -z "$pids" ] || kill $pids 2>/dev/null || true; rm -rf "$work"; }
trap stop EXIT

for tool in h2load curl; do
  command -v "$tool" >/dev/null || { echo "h2load.sh: $tool: not found (expected: on the path)" >&2; exit 1; }
done
[ -f "$jar" ] || (cd "$root" && mvn -q -B -DskipTests package)

port=${PENSTOCK_ACCEPT_PORT:-18080}
admin=$((port + 1)) metrics=$((port + 2)) backend=$((port + 3))
cat >"$work/penstock.yaml" <<YAML
apiVersion: penstock.io/v1alpha1
kind: ProxyConfig
listeners: [{name: plain, address: "127.0.0.1:$port"}]
admin: {address: "127.0.0.1:$admin"}
metrics: {address: "127.0.0.1:$metrics"}
endpoints: [{name: sim, address: "127.0.0.1:$backend"}]
accessLog: {path: "off"}
---
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins: [{type: concurrency-detector, parameters: {maxConcurrency: 64}}]
flowControl:
  saturationDetector: {pluginRef: concurrency-detector}
  priorityBands: [{priority: 0, maxRequests: 200}]
YAML
printf '{"model":"demo-model","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}' >"$work/body.json"

JAVA_OPTS=${PENSTOCK_ACCEPT_JAVA_OPTS:-"-Xmx512m -Dio.netty.leakDetection.level=paranoid"}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
"$java" -Xmx256m -jar "$jar" sim --port "$backend" --model demo-model --max-num-seqs 256 >"$work/sim.log" 2>&1 &
pids="$pids $!"
# shellcheck disable=SC2086
"$java" $JAVA_OPTS -jar "$jar" serve --config-file "$work/penstock.yaml" >"$work/proxy.log" 2>&1 &
proxy=$!
pids="$pids $proxy"

ready() { curl -fsS -o /dev/null "$1" 2>/dev/null; }
tries=0
until ready "http://127.0.0.1:$admin/ready" && ready "http://127.0.0.1:$backend/health"; do
  tries=$((tries + 1))
  [ "$tries" -le 300 ] || { echo "h2load.sh: not ready after 30 s" >&2; cat "$work/proxy.log" "$work/sim.log" >&2; exit 1; }
  sleep 0.1
done

h2load -n "$requests" -c 32 -m 32 -d "$work/body.json" -H 'content-type: application/json' --log-file="$work/h2load.log" \
  "http://127.0.0.1:$port/v1/chat/completions" >"$work/h2load.out"
grep -E '^(finished|requests|status codes)' "$work/h2load.out"

awk -F'\t' '{n[$2]++} END {for (s in n) printf "status %s: %d\n", s, n[s]}' "$work/h2load.log" | sort
ok=$(awk -F'\t' '$2 == 200' "$work/h2load.log" | wc -l)
busy=$(awk -F'\t' '$2 == 429' "$work/h2load.log" | wc -l)
failed=0
check() { if [ "$2" -ne "$3" ]; then echo "h2load.sh: $1: $2 (expected: $3)" >&2; failed=1; fi; }
check 'answers with 200 or 429' $((ok + busy)) "$requests"
[ "$ok" -gt 0 ] || { echo "h2load.sh: no 200 at all" >&2; failed=1; }
[ "$busy" -gt 0 ] || { echo "h2load.sh: no 429 at all" >&2; failed=1; }

bands=$(curl -fsS "http://127.0.0.1:$admin/bands")
endpoints=$(curl -fsS "http://127.0.0.1:$admin/endpoints")
case $bands in *'"requests":0,'*) ;; *) echo "h2load.sh: /bands: $bands (expected: requests 0)" >&2; failed=1 ;; esac
case $endpoints in *'"inFlightRequests":0,'*) ;; *) echo "h2load.sh: /endpoints: $endpoints (expected: inFlightRequests 0)" >&2; failed=1 ;; esac

kill -TERM "$proxy"
wait "$proxy" && code=0 || code=$?
check 'exit status of the proxy after SIGTERM' "$code" 0
leaks=$(grep -c 'LEAK' "$work/proxy.log" || true)
check 'leaks reported' "$leaks" 0
if [ "$failed" -ne 0 ]; then tail -n 30 "$work/proxy.log" >&2; exit 1; fi
echo "h2load.sh: $requests requests: $ok answered, $busy refused, none lost"
