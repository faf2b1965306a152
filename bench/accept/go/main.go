// Go's own HTTP client, unchanged, against the proxy: that is what llm-d's dispatchers and gateways are made of. Every check is made over
// HTTP/1.1, HTTP/2 over TLS and HTTP/2 without it. Ends with 1 and says what was wrong, or with 0.
//
// usage: go run . <path of the penstock script>
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	events   = 20
	requests = 300
	headroom = "X-Llm-D-Flow-Band-Headroom-Requests"
	short    = "X-Llm-D-Flow-Band-Headroom"
	reason   = "X-Llm-D-Request-Dropped-Reason"
)

// suite is one protocol's client and what it has been through.
type suite struct {
	name     string
	url      string
	protocol int
	client   *http.Client
	backend  *backend
	proxy    *proxy
	opened   atomic.Int64
	reused   atomic.Int64
}

func newSuite(name, url string, protocol int, transport *http.Transport, b *backend, p *proxy) *suite {
	transport.ExpectContinueTimeout = 10 * time.Second
	transport.MaxIdleConnsPerHost = 100
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	return &suite{name: name, url: url, protocol: protocol, client: client, backend: b, proxy: p}
}

func (s *suite) context() context.Context {
	return httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if info.Reused {
			s.reused.Add(1)
		} else {
			s.opened.Add(1)
		}
	}})
}

func (s *suite) do(method, path string, body io.Reader, headers ...string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(s.context(), method, s.url+path, body)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := s.client.Do(request)
	if err == nil && response.ProtoMajor != s.protocol {
		response.Body.Close()
		return nil, fmt.Errorf("protocol: %s (expected: HTTP/%d)", response.Proto, s.protocol)
	}
	return response, err
}

// call reads the answer to its end.
func (s *suite) call(method, path string, body io.Reader, headers ...string) (*http.Response, string, error) {
	response, err := s.do(method, path, body, headers...)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, string(text), err
}

func (s *suite) expect(status int, method, path string, body io.Reader, headers ...string) (*http.Response, string, error) {
	response, text, err := s.call(method, path, body, headers...)
	if err == nil && response.StatusCode != status {
		err = fmt.Errorf("%s %s: %d %s (expected: %d)", method, path, response.StatusCode, text, status)
	}
	return response, text, err
}

// oneConnection runs steps, and fails where they took a new connection.
func (s *suite) oneConnection(steps func() error) error {
	if _, _, err := s.expect(204, "GET", "/nothing", nil); err != nil {
		return err
	}
	before := s.opened.Load()
	if err := steps(); err != nil {
		return err
	}
	if made := s.opened.Load() - before; made != 0 {
		return fmt.Errorf("new connections: %d (expected: 0, the first one is kept)", made)
	}
	return nil
}

func (s *suite) manyRequests() error {
	return s.oneConnection(func() error {
		for i := 0; i < requests; i++ {
			body := strings.Repeat("x", i*37%5000+1)
			_, text, err := s.expect(200, "POST", "/echo", strings.NewReader(body))
			if err != nil {
				return err
			}
			var got seen
			if err := json.Unmarshal([]byte(text), &got); err != nil || got.Bytes != len(body) {
				return fmt.Errorf("bytes: %d, %v (expected: %d)", got.Bytes, err, len(body))
			}
		}
		// A body of unknown length.
		_, _, err := s.expect(200, "POST", "/echo", io.MultiReader(strings.NewReader("{"), strings.NewReader("}")))
		return err
	})
}

func (s *suite) headAndEmpty() error {
	return s.oneConnection(func() error {
		for i := 0; i < 3; i++ {
			if _, text, err := s.expect(200, "HEAD", "/echo", nil); err != nil || text != "" {
				return fmt.Errorf("HEAD: %q %v", text, err)
			}
			if _, _, err := s.expect(204, "POST", "/nothing", strings.NewReader("{}")); err != nil {
				return err
			}
			if _, _, err := s.expect(404, "GET", "/none", nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// refusals fill every slot and the narrow band, and then are turned away.
func (s *suite) refusals() error {
	var wait sync.WaitGroup
	failed := make(chan error, slots+1)
	hold := func(headers ...string) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if _, _, err := s.expect(200, "POST", "/hold", strings.NewReader("{}"), headers...); err != nil {
				failed <- err
			}
		}()
	}
	for i := 0; i < slots; i++ {
		hold()
	}
	for i := 0; i < slots; i++ {
		<-s.backend.running
	}
	hold("x-gateway-inference-objective", "narrow")
	err := s.turnedAway()
	for i := 0; i < slots+1; i++ {
		s.backend.release <- struct{}{}
	}
	<-s.backend.running
	wait.Wait()
	select {
	case late := <-failed:
		return late
	default:
		return err
	}
}

func (s *suite) turnedAway() error {
	if err := s.proxy.awaitWaiting(9); err != nil {
		return err
	}
	// One that is refused on the connection that will be used from now on.
	if _, _, err := s.expect(429, "POST", "/echo", strings.NewReader("{}"), "x-llm-d-inference-objective", "narrow"); err != nil {
		return err
	}
	before := s.opened.Load()
	for i := 0; i < 50; i++ {
		response, text, err := s.expect(429, "POST", "/echo", strings.NewReader("{}"), "x-llm-d-inference-objective", "narrow")
		if err != nil {
			return err
		}
		if response.Header.Get(reason) != "rejected-saturated" || response.Header.Get(headroom) != "" || !strings.Contains(text, `"code":429`) {
			return fmt.Errorf("refusal: %v %s", response.Header, text)
		}
	}
	if err := s.expectationRefused(); err != nil {
		return err
	}
	if made := s.opened.Load() - before; made != 0 {
		return fmt.Errorf("refusals cost %d connections (expected: 0)", made)
	}
	return s.refusedUpload()
}

type countingReader struct {
	left int
	read atomic.Int64
}

func (r *countingReader) Read(into []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := min(len(into), r.left)
	for i := range into[:n] {
		into[i] = 'x'
	}
	r.left -= n
	r.read.Add(int64(n))
	return n, nil
}

// expectationRefused asks first, and sends nothing after a no.
func (s *suite) expectationRefused() error {
	if s.protocol != 1 {
		return nil
	}
	body := &countingReader{left: 1 << 20}
	_, _, err := s.expect(429, "POST", "/echo", body, "x-llm-d-inference-objective", "narrow", "Expect", "100-continue")
	if err == nil && body.read.Load() != 0 {
		err = fmt.Errorf("sent after a refusal: %d bytes (expected: 0)", body.read.Load())
	}
	// The body was announced and will not come, so that this connection cannot be used again.
	if err == nil {
		_, _, err = s.expect(204, "GET", "/nothing", nil)
		s.opened.Add(-1)
	}
	return err
}

// refusedUpload is refused while it is sending, and gets to know it.
func (s *suite) refusedUpload() error {
	response, _, err := s.expect(429, "POST", "/echo", &countingReader{left: 20 << 20}, "x-llm-d-inference-objective", "narrow")
	if err == nil && response.Header.Get(reason) != "rejected-saturated" {
		err = fmt.Errorf("reason: %s", response.Header.Get(reason))
	}
	return err
}

func (s *suite) streamed() error {
	return s.oneConnection(func() error {
		response, err := s.do("POST", "/stream", strings.NewReader("{}"))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		count := 0
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: ") {
				count++
				if count <= events {
					s.backend.heard <- struct{}{}
				}
			}
		}
		if count != events+1 || lines.Err() != nil {
			return fmt.Errorf("events: %d, %v (expected: %d)", count, lines.Err(), events+1)
		}
		_, _, err = s.expect(200, "POST", "/echo", strings.NewReader("{}"))
		return err
	})
}

func (s *suite) earlyAnswers() error {
	for i := 0; i < 5; i++ {
		body := &countingReader{left: 20 << 20}
		if _, text, err := s.expect(401, "POST", "/early", body); err != nil || text != "no" {
			return fmt.Errorf("an answer before the body's end: %q %w", text, err)
		}
	}
	// Above limits.maxRequestBodyBytes.
	body, writer := io.Pipe()
	defer writer.Close()
	go io.Copy(writer, &countingReader{left: 40 << 20})
	_, _, err := s.expect(413, "POST", "/echo", body)
	return err
}

func (s *suite) interim() error {
	continued, hints := 0, 0
	trace := &httptrace.ClientTrace{Got100Continue: func() { continued++ }, Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
		if code == http.StatusEarlyHints && header.Get("Link") == "</style.css>" {
			hints++
		}
		return nil
	}}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(s.context(), trace), "POST", s.url+"/hints", bytes.NewReader(make([]byte, 100_000)))
	if err != nil {
		return err
	}
	request.Header.Set("Expect", "100-continue")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || string(text) != "{}" || hints != 1 || continued != 1 {
		return fmt.Errorf("interim answers: %q, %d times 103, %d times 100, %w (expected: one of each)", text, hints, continued, err)
	}
	return nil
}

func (s *suite) names() error {
	trace := []string{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate", "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7",
		"tracestate", "vendor=x", "baggage", "userId=alice,serverNode=DF%2028;ttl=1"}
	for objective, room := range map[string]string{"": "100", "premium": "7", "unknown": "100"} {
		response, text, err := s.expect(200, "POST", "/echo", strings.NewReader("{}"), append(trace, "x-gateway-inference-objective", objective,
			short, "5", headroom, "5")...)
		if err != nil {
			return err
		}
		long, alias := response.Header.Values(headroom), response.Header.Values(short)
		if fmt.Sprint(long) != "["+room+"]" || fmt.Sprint(alias) != fmt.Sprint(long) {
			return fmt.Errorf("objective %q: headroom %v, under the short name %v (expected: %s)", objective, long, alias, room)
		}
		var got seen
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return err
		}
		for i := 0; i < len(trace); i += 2 {
			if !strings.Contains(strings.Join(got.Headers.Values(trace[i]), ","), trace[i+1]) {
				return fmt.Errorf("%s: %v (expected: %s, as it was sent)", trace[i], got.Headers.Values(trace[i]), trace[i+1])
			}
		}
		if got.Headers.Get(short) != "" || got.Headers.Get(headroom) != "" {
			return fmt.Errorf("a client's copy reached the backend: %v", got.Headers)
		}
	}
	return nil
}

func (s *suite) deadBackend() error {
	return s.oneConnection(func() error {
		for i := 0; i < 3; i++ {
			if _, text, err := s.expect(503, "POST", "/die", strings.NewReader("{}")); err != nil || !strings.Contains(text, `"code":503`) {
				return fmt.Errorf("%q %w", text, err)
			}
		}
		return nil
	})
}

// dispatch keeps requests coming until the port is closed, and returns how many were answered.
func (s *suite) dispatch(workers int, wrong chan<- error) (*sync.WaitGroup, *atomic.Int64) {
	var wait sync.WaitGroup
	answered := new(atomic.Int64)
	for i := 0; i < workers; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				_, _, err := s.expect(200, "POST", "/short", strings.NewReader("{}"), "x-gateway-inference-objective", "batch")
				var operation *net.OpError
				if errors.As(err, &operation) && operation.Op == "dial" {
					return
				}
				if err != nil {
					wrong <- fmt.Errorf("%s: during the drain: %w", s.name, err)
					return
				}
				answered.Add(1)
			}
		}()
	}
	return &wait, answered
}

func drain(p *proxy, suites []*suite) error {
	wrong := make(chan error, 1000)
	var waits []*sync.WaitGroup
	var counts []*atomic.Int64
	for _, s := range suites {
		wait, count := s.dispatch(66, wrong)
		waits, counts = append(waits, wait), append(counts, count)
	}
	deadline := time.Now().Add(time.Minute)
	for _, count := range counts {
		for count.Load() < 200 && len(wrong) == 0 && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	if err := p.terminate(); err != nil {
		return err
	}
	for _, wait := range waits {
		wait.Wait()
	}
	said, err := p.awaitEnd()
	if err != nil || !strings.Contains(said, "Drained: 0 requests were reset") {
		return fmt.Errorf("the drain: %v; the proxy said %s", err, said)
	}
	for i, s := range suites {
		fmt.Printf("go: %s: %d answers until the port was closed\n", s.name, counts[i].Load())
	}
	if failed := len(wrong); failed > 0 {
		return fmt.Errorf("%d requests failed, such as %w (expected: none but by a refused connection)", failed, <-wrong)
	}
	return nil
}

func oldMetrics(p *proxy) error {
	response, err := http.Get("http://" + p.metrics + "/metrics")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	for _, sample := range []string{"\ninference_extension_flow_control_pool_saturation{", "\ninference_extension_flow_control_queue_size{",
		"\ninference_pool_ready_pods{name="} {
		if !strings.Contains(string(text), sample) {
			return fmt.Errorf("metrics: no %q", sample)
		}
	}
	return nil
}

func run(program string) error {
	directory, err := os.MkdirTemp("", "penstock-accept")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	b, err := startBackend()
	if err != nil {
		return err
	}
	p, err := startProxy(program, directory, b.address)
	if err != nil {
		return err
	}
	defer p.command.Process.Kill()
	suites := []*suite{newSuite("HTTP/1.1", "http://"+p.plain, 1, &http.Transport{}, b, p),
		newSuite("HTTP/2 over TLS", "https://"+p.tls, 2, &http.Transport{ForceAttemptHTTP2: true}, b, p)}
	if transport := unencrypted(); transport != nil {
		suites = append(suites, newSuite("HTTP/2 without TLS", "http://"+p.plain, 2, transport, b, p))
	}
	for _, s := range suites {
		checks := []struct {
			name string
			run  func() error
		}{{"many requests", s.manyRequests}, {"HEAD and 204", s.headAndEmpty}, {"refusals", s.refusals}, {"a stream", s.streamed},
			{"early answers", s.earlyAnswers}, {"interim answers", s.interim}, {"names", s.names}, {"a dead backend", s.deadBackend}}
		for _, check := range checks {
			if err := check.run(); err != nil {
				return fmt.Errorf("%s: %s: %w", s.name, check.name, err)
			}
		}
		fmt.Printf("go: %s: %d checks, %d connections, used again %d times\n", s.name, len(checks), s.opened.Load(), s.reused.Load())
	}
	if err := oldMetrics(p); err != nil {
		return err
	}
	return drain(p, suites)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . <path of the penstock script>")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "go:", err)
		os.Exit(1)
	}
}
