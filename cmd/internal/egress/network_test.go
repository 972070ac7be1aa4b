package egress

import (
	"context"
	"net/url"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
)

// A proxy that does not answer is waited for no longer than the run goes on.
func TestProxyIsNotWaitedForWhenTheRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := New(Config{Settings: Settings{Proxy: &url.URL{Scheme: "http", Host: "192.0.2.1:8080"}, ProxyForAll: true}, Log: zerolog.Nop()})
	defer n.Close()
	var s Site
	n.ReachProxy(ctx, s)
	_, err := n.Open(s, nil)
	assert.ErrorContains(t, err, "the proxy 192.0.2.1:8080 can't be reached")
	assert.ErrorIs(t, err, context.Canceled)
}
