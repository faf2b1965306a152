//go:build go1.24

package main

import (
	"net/http"
)

// unencrypted makes a client that speaks HTTP/2 with prior knowledge.
func unencrypted() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Transport{Protocols: protocols}
}
