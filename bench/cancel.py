#!/usr/bin/env python3
"""Measures how soon a client's cancel reaches the backend, and how soon the place that it gives back is taken by the request that waits.

usage: bench/cancel.py [CANCELS]     (default 1000 of each kind; needs a JDK, and the built jar or Maven)

One request runs (the concurrency limit is 1) and streams, one waits. Then the running one is given up: by RST_STREAM, by closing its HTTP/2
connection, or by closing its HTTP/1.1 connection. Both figures are milliseconds from just before that: to the end of the backend's
connection, and to the arrival of the waiting request at the backend. Client, backend and clock are this one process, whose own delays count.
"""
import json
import os
import queue
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT_SECONDS = 30
BODY = b'{"model":"demo-model","stream":true,"messages":[]}'
CONFIG = """apiVersion: penstock.io/v1alpha1
kind: ProxyConfig
listeners: [{name: plain, address: "127.0.0.1:%d"}]
admin: {address: "127.0.0.1:%d"}
metrics: {address: "127.0.0.1:%d"}
endpoints: [{name: backend, address: "127.0.0.1:%d"}]
accessLog: {path: "off"}
---
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins: [{type: concurrency-detector, parameters: {maxConcurrency: 1}}]
flowControl:
  saturationDetector: {pluginRef: concurrency-detector}
  priorityBands: [{priority: 0, maxRequests: 100}]
"""


class Backend:
    """Answers scrapes with nothing and streams everything else without an end; says when a request has come and when it was aborted."""

    def __init__(self):
        self.arrived = queue.Queue()
        self.aborted = queue.Queue()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            peer, _ = self.listener.accept()
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer):
        with peer:
            while True:
                head = self._head(peer)
                if head is None:
                    return
                if head.startswith(b"GET"):
                    peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                    continue
                self.arrived.put(time.monotonic())
                peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n")
                try:
                    while peer.recv(4096):
                        pass
                except ConnectionError:
                    pass
                self.aborted.put(time.monotonic())
                return

    @staticmethod
    def _head(peer):
        read = b""
        while b"\r\n\r\n" not in read:
            try:
                more = peer.recv(4096)
            except ConnectionError:
                return None
            if not more:
                return None
            read += more
        # Of a POST the body may still be on its way; it is read with the wait for the end.
        return read


class Http1Client:
    """A request on a connection of its own."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS)
        self.socket.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
                            % len(BODY) + BODY)

    def await_answer(self):
        if not self.socket.recv(4096).startswith(b"HTTP/1.1 200"):
            raise SystemExit("cancel.py: not the answer that was expected: 200")

    def close(self):
        self.socket.close()


class Http2Client:
    """A request as the only stream of a connection of its own (RFC 9113); the fields are literals without indexing (RFC 7541)."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.read = b""
        fields = [(":method", "POST"), (":scheme", "http"), (":path", "/v1/chat/completions"), (":authority", "bench"),
                  ("content-type", "application/json"), ("content-length", str(len(BODY)))]
        block = b"".join(b"\0" + self._text(name) + self._text(value) for name, value in fields)
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self._frame(4, 0, 0, b"") + self._frame(1, 4, 1, block)
                            + self._frame(0, 1, 1, BODY))

    @staticmethod
    def _text(text):
        return bytes([len(text)]) + text.encode()

    @staticmethod
    def _frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def await_answer(self):
        while True:
            while len(self.read) >= 9 and len(self.read) >= 9 + int.from_bytes(self.read[:3], "big"):
                kind = self.read[3]
                self.read = self.read[9 + int.from_bytes(self.read[:3], "big"):]
                if kind == 0:
                    return
                if kind in (3, 7):
                    raise SystemExit("cancel.py: frame of type %d (expected: DATA)" % kind)
            more = self.socket.recv(4096)
            if not more:
                raise SystemExit("cancel.py: the proxy closed the connection (expected: an answer)")
            self.read += more

    def reset(self):
        self.socket.sendall(self._frame(3, 0, 1, struct.pack(">I", 8)))

    def close(self):
        self.socket.close()


def waiting(admin):
    with urllib.request.urlopen("http://127.0.0.1:%d/bands" % admin, timeout=LIMIT_SECONDS) as answer:
        return sum(band["requests"] for band in json.load(answer)["bands"])


def until(condition, what):
    limit = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if time.monotonic() > limit:
            raise SystemExit("cancel.py: %s: not within %d s" % (what, LIMIT_SECONDS))


def measure(client, cancel, port, admin, backend, count):
    """Milliseconds to the backend's abort, and to the next request's start."""
    aborts, places = [], []
    running = client(port)
    backend.arrived.get(timeout=LIMIT_SECONDS)
    running.await_answer()
    for _ in range(count):
        following = client(port)
        until(lambda: waiting(admin) == 1, "one request waits")
        begun = time.monotonic()
        cancel(running)
        aborts.append((backend.aborted.get(timeout=LIMIT_SECONDS) - begun) * 1e3)
        places.append((backend.arrived.get(timeout=LIMIT_SECONDS) - begun) * 1e3)
        following.await_answer()
        running.close()
        running = following
    running.close()
    backend.aborted.get(timeout=LIMIT_SECONDS)
    return aborts, places


def row(what, values):
    values = sorted(values)
    at = [values[min(len(values) - 1, int(len(values) * share))] for share in (0.5, 0.99)] + [values[-1]]
    print("| %-52s | %8.2f | %8.2f | %8.2f |" % (what, *at))


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    sys.setswitchinterval(0.0002)
    backend = Backend()
    ports = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    port, admin, metrics = (each.getsockname()[1] for each in ports)
    for each in ports:
        each.close()
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "penstock.yaml")
        with open(path, "w", encoding="utf-8") as config:
            config.write(CONFIG % (port, admin, metrics, backend.port))
        proxy = subprocess.Popen([os.path.join(ROOT, "penstock"), "serve", "--config-file", path], stderr=subprocess.DEVNULL)
        try:
            until(lambda: ready(admin), "/ready")
            print("| %-52s | %8s | %8s | %8s |\n|---|---|---|---|" % ("%d cancels each, ms" % count, "p50", "p99", "max"))
            for name, client, cancel in (("RST_STREAM", Http2Client, Http2Client.reset), ("HTTP/2 connection closed", Http2Client, Http2Client.close),
                                         ("HTTP/1.1 connection closed", Http1Client, Http1Client.close)):
                measure(client, cancel, port, admin, backend, 50)
                aborts, places = measure(client, cancel, port, admin, backend, count)
                row(name + ": to the backend's abort", aborts)
                row(name + ": to the next request", places)
        finally:
            proxy.terminate()
            proxy.wait(LIMIT_SECONDS)


def ready(admin):
    try:
        with urllib.request.urlopen("http://127.0.0.1:%d/ready" % admin, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


if __name__ == "__main__":
    main()
