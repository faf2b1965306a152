//go:build !go1.24

package main

import (
	"fmt"
	"net/http"
	"os"
)

func unencrypted() *http.Transport {
	fmt.Fprintln(os.Stderr, "go: HTTP/2 without TLS: not tried (expected: Go 1.24 or newer)")
	return nil
}
