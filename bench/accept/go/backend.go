// A model server of scripted answers.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

type backend struct {
	address string
	// release lets one request of /hold go on.
	release chan struct{}
	// running counts requests of /hold as they arrive.
	running chan struct{}
	// heard is told by the client for each event of /stream that it has read.
	heard chan struct{}
}

func startBackend() (*backend, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &backend{address: listener.Addr().String(), release: make(chan struct{}), running: make(chan struct{}, 1000),
		heard: make(chan struct{}, 1000)}
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", b.echo)
	mux.HandleFunc("/hold", b.hold)
	mux.HandleFunc("/stream", b.stream)
	mux.HandleFunc("/early", b.early)
	mux.HandleFunc("/hints", b.hints)
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/short", b.short)
	mux.HandleFunc("/die", b.die)
	go http.Serve(listener, mux)
	return b, nil
}

type seen struct {
	Headers http.Header
	Bytes   int
}

// echo says what came in, and spoofs what is the proxy's to say.
func (b *backend) echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-LLM-D-Flow-Band-Headroom", "999")
	json.NewEncoder(w).Encode(seen{Headers: r.Header, Bytes: len(body)})
}

func (b *backend) hold(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	b.running <- struct{}{}
	<-b.release
	fmt.Fprint(w, "{}")
}

// stream sends the next event only when the client has read the one before: a proxy that buffers would hang.
func (b *backend) stream(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	for i := 0; i < events; i++ {
		fmt.Fprintf(w, "data: %d\n\n", i)
		w.(http.Flusher).Flush()
		select {
		case <-b.heard:
		case <-time.After(10 * time.Second):
			return
		}
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// early answers without a look at the body.
func (b *backend) early(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprint(w, "no")
}

func (b *backend) hints(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Link", "</style.css>")
	w.WriteHeader(http.StatusEarlyHints)
	w.WriteHeader(http.StatusOK)
	fmt.Fprint(w, "{}")
}

func (b *backend) short(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	time.Sleep(4 * time.Millisecond)
	fmt.Fprint(w, "{}")
}

// die ends the connection before any answer.
func (b *backend) die(w http.ResponseWriter, r *http.Request) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		connection.Close()
	}
}
