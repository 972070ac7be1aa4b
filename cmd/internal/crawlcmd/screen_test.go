package crawlcmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A trouble is shown by its word and its end: that is what is new to who reads the line.
func TestShortTrouble(t *testing.T) {
	for trouble, want := range map[string]string{
		"connect: dial tcp 127.0.0.1:80: connect: connection refused (GET http://127.0.0.1/?page=0)": "connect, connection refused",
		"dns: lookup a.example: no such host (GET http://a.example/)":                                "dns, no such host",
		"timeout": "timeout",
		"":        "",
	} {
		assert.Equal(t, want, shortTrouble(trouble))
	}
}
