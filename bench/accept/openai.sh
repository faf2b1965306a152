#!/bin/sh
# Runs the official OpenAI clients, Python and Node, unchanged against the demo. Says loudly what is missing and then fails.
#
# usage: bench/accept/openai.sh     (needs python3 with `openai`, node with `openai` under bench/accept/openai/node_modules, curl)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
demo=
trap '[ -z "$demo" ] || kill "$demo" 2>/dev/null || true; rm -rf "$work"' EXIT

port=${PENSTOCK_ACCEPT_PORT:-18090}
"$root/penstock" demo --port "$port" --admin-port $((port + 1)) --metrics-port $((port + 2)) --rate 0 --for 120s >"$work/demo.log" 2>&1 &
demo=$!
tries=0
until curl -fsS -o /dev/null "http://127.0.0.1:$((port + 1))/ready" 2>/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -le 600 ] || { echo "openai.sh: the demo is not ready after 60 s" >&2; cat "$work/demo.log" >&2; exit 1; }
  sleep 0.1
done

python=${PENSTOCK_ACCEPT_PYTHON:-python3}
"$python" "$here/openai/client.py" "http://127.0.0.1:$port/v1"
(cd "$here/openai" && node client.mjs "http://127.0.0.1:$port/v1")
