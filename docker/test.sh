#!/usr/bin/env bash
# Runs what docker/Dockerfile would run, without an engine: links the runtime from the module list written there, lays the image's files
# out in a scratch folder, starts the jar with them, and lets Netty find its natives where no temporary folder can be written;
# makes the class archive with that runtime. Needs the built jar; takes about half a minute.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$root/target/docker-test
jar=$root/proxy-core/target/penstock.jar
rm -rf "$scratch"
mkdir -p "$scratch/native"
[ -f "$jar" ] || { echo "docker/test.sh: $jar is not there (expected: mvn package first)" >&2; exit 1; }

jdk=${JAVA_HOME:-}
for candidate in /usr/lib/jvm/*25*; do
    if [ -x "$candidate/bin/jlink" ]; then
        jdk=$candidate
    fi
done
if [ -z "$jdk" ]; then
    jdk=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
fi
echo "docker/test.sh: linking with $jdk"

modules=$(sed -n 's/.*--add-modules \([a-z.,]*\).*/\1/p' "$root/docker/Dockerfile")
[ -n "$modules" ] || { echo "docker/test.sh: no --add-modules in docker/Dockerfile" >&2; exit 1; }
"$jdk/bin/jlink" --add-modules "$modules" --strip-java-debug-attributes --no-header-files --no-man-pages --output "$scratch/java"

cp "$root/penstock" "$root/docker/healthcheck" "$jar" "$scratch/"
(cd "$scratch/native" && unzip -qoj "$jar" "META-INF/native/*_$(uname -m | sed 's/aarch64/aarch_64/').so")
export JAVA_HOME=$scratch/java
export PENSTOCK_JAVA_OPTS="-Djava.library.path=$scratch/native -Djava.io.tmpdir=/nonexistent"

version=$("$scratch/penstock" --version)
echo "$version" | grep -q '^penstock [0-9]' || { echo "docker/test.sh: --version printed: $version" >&2; exit 1; }
echo "docker/test.sh: $version" | tr '\n' ' '
echo

archive=$("$scratch/penstock" archive)
[ -s "$archive" ] || { echo "docker/test.sh: penstock archive printed: $archive (expected: a file)" >&2; exit 1; }
echo "docker/test.sh: class archive of $(($(stat -c %s "$archive") >> 20)) MiB"

cat > "$scratch/Natives.java" <<'JAVA'
class Natives {
    public static void main(String[] none) {
        io.netty.channel.epoll.Epoll.ensureAvailability();
        io.netty.handler.ssl.OpenSsl.ensureAvailability();
    }
}
JAVA
"$jdk/bin/javac" -cp "$jar" -d "$scratch" "$scratch/Natives.java"
# shellcheck disable=SC2086 # several words
"$scratch/java/bin/java" $PENSTOCK_JAVA_OPTS --enable-native-access=ALL-UNNAMED -cp "$jar:$scratch" Natives
echo "docker/test.sh: natives load without a temporary folder"

if "$scratch/penstock" --help | grep -q '  serve'; then
    # Ports that the system chooses are printed nowhere else than in the log; the test takes free ones just before.
    read -r proxy admin metrics < <(python3 - <<'PY'
import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
PY
    )
    sed -e "s/0\.0\.0\.0:8080/127.0.0.1:$proxy/; s/0\.0\.0\.0:9901/127.0.0.1:$admin/; s/0\.0\.0\.0:9090/127.0.0.1:$metrics/" \
        -e 's/"vllm-[01]:8000"/"127.0.0.1:1"/; s/grace: 2s/grace: 0s/' "$root/docker/penstock.yaml" > "$scratch/penstock.yaml"
    "$scratch/penstock" validate --config-file "$scratch/penstock.yaml"
    "$scratch/penstock" serve --config-file "$scratch/penstock.yaml" > "$scratch/serve.out" 2> "$scratch/serve.err" &
    serve=$!
    trap 'kill "$serve" 2>/dev/null || true' EXIT
    for _ in $(seq 100); do
        PENSTOCK_ADMIN_PORT=$admin "$scratch/healthcheck" 2>/dev/null && break
        kill -0 "$serve" 2>/dev/null || break
        sleep 0.1
    done
    PENSTOCK_ADMIN_PORT=$admin "$scratch/healthcheck" || { cat "$scratch/serve.err" >&2; exit 1; }
    if grep -q 'class archive' "$scratch/serve.err"; then
        cat "$scratch/serve.err" >&2
        exit 1
    fi
    echo "docker/test.sh: serve is healthy and uses the class archive"
    kill "$serve"
    wait "$serve" || { echo "docker/test.sh: serve ended with $? after SIGTERM (expected: 0)" >&2; cat "$scratch/serve.err" >&2; exit 1; }
    trap - EXIT
fi
rm -rf "$scratch"
echo "docker/test.sh: passed"
