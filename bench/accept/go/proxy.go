// The proxy under test, as a process of its own before a model server that lives in this program.

package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const config = `apiVersion: penstock.io/v1alpha1
kind: ProxyConfig
listeners:
- {name: plain, address: "127.0.0.1:0"}
- {name: tls, address: "127.0.0.1:0", tls: {certificate: "%[1]s/cert.pem", privateKey: "%[1]s/key.pem"}}
admin: {address: "127.0.0.1:0"}
metrics: {address: "127.0.0.1:0"}
accessLog: {path: "off"}
compat: {headroomShortName: true, legacyMetricNames: true}
endpoints: [{name: vllm-0, address: "%[2]s"}]
---
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins: [{type: concurrency-detector, parameters: {maxConcurrency: %[3]d}}]
flowControl:
  saturationDetector: {pluginRef: concurrency-detector}
  priorityBands:
  - {priority: 0, maxRequests: 100}
  - {priority: 5, maxRequests: 7}
  - {priority: 9, maxRequests: 1}
  - {priority: -1, maxRequests: 1000}
---
apiVersion: llm-d.ai/v1alpha2
kind: InferenceObjective
metadata: {name: premium}
spec: {priority: 5}
---
apiVersion: llm-d.ai/v1alpha2
kind: InferenceObjective
metadata: {name: narrow}
spec: {priority: 9}
---
apiVersion: llm-d.ai/v1alpha2
kind: InferenceObjective
metadata: {name: batch}
spec: {priority: -1}
`

// slots is how many requests run at a time; what comes above waits.
const slots = 4

var listening = regexp.MustCompile(`listening on \{plain=([0-9.:]+), tls=([0-9.:]+)\}, admin on ([0-9.:]+), metrics on ([0-9.:]+)`)

type proxy struct {
	command                    *exec.Cmd
	plain, tls, admin, metrics string
	lines                      chan string
	ended                      chan error
}

func startProxy(program, directory, backend string) (*proxy, error) {
	if err := certificate(directory); err != nil {
		return nil, err
	}
	file := filepath.Join(directory, "penstock.yaml")
	if err := os.WriteFile(file, []byte(fmt.Sprintf(config, directory, backend, slots)), 0o600); err != nil {
		return nil, err
	}
	p := &proxy{command: exec.Command(program, "serve", "--concurrency", "2", "--config-file", file),
		lines: make(chan string, 10000), ended: make(chan error, 1)}
	stderr, err := p.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		scanner := bufio.NewScanner(stderr)
		for scanner.Scan() {
			p.lines <- scanner.Text()
		}
		close(p.lines)
		p.ended <- p.command.Wait()
	}()
	var seen []string
	timeout := time.After(2 * time.Minute)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return nil, fmt.Errorf("the proxy did not start; it said %s", strings.Join(seen, "\n"))
			}
			seen = append(seen, line)
			if found := listening.FindStringSubmatch(line); found != nil {
				p.plain, p.tls, p.admin, p.metrics = found[1], found[2], found[3], found[4]
				return p, nil
			}
		case <-timeout:
			p.command.Process.Kill()
			return nil, fmt.Errorf("the proxy did not start in two minutes; it said %s", strings.Join(seen, "\n"))
		}
	}
}

// awaitWaiting waits until a request waits in the band.
func (p *proxy) awaitWaiting(priority int) error {
	var last string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		response, err := http.Get("http://" + p.admin + "/bands")
		if err != nil {
			return err
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		last = string(text)
		var view struct {
			Bands []struct{ Priority, Requests int }
		}
		if err := json.Unmarshal(text, &view); err != nil {
			return err
		}
		for _, band := range view.Bands {
			if band.Priority == priority && band.Requests == 1 {
				return nil
			}
		}
	}
	return fmt.Errorf("waiting in band %d: %s (expected: 1)", priority, last)
}

// terminate sends SIGTERM.
func (p *proxy) terminate() error {
	return p.command.Process.Signal(syscall.SIGTERM)
}

// awaitEnd returns what the proxy said after its start.
func (p *proxy) awaitEnd() (string, error) {
	var said []string
	for line := range p.lines {
		said = append(said, line)
	}
	return strings.Join(said, "\n"), <-p.ended
}

func certificate(directory string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "accept"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der},
		"key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(directory, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}
