#!/bin/sh
# Runs Go's own HTTP client, which llm-d's dispatchers and gateways are made of, against the proxy: HTTP/1.1, HTTP/2 over TLS and without.
#
# usage: bench/accept/go.sh     (needs go, 1.21 or newer; from 1.24 on HTTP/2 without TLS is tried too)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
command -v go >/dev/null 2>&1 || { echo "go.sh: go: not on the PATH (expected: installed)" >&2; exit 1; }
cd "$here/go"
GOTOOLCHAIN=local GOFLAGS=-mod=mod go run . "$root/penstock"
