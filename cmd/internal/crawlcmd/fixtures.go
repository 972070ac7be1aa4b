package crawlcmd

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/multiscraper/multiscraper/fixtures/stories"
)

// sites are sites on loopback in place of the network.
type sites interface {
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	Close() error
}

// storySites is the built-in web of stories, always the same one.
var storySites = stories.Config{Seed: 14, Hosts: 20, Stories: 5}

// startSites serves the built-in sites. Their list is what a run is given that has no other URLs.
func (j *job) startSites(r *runCommand) error {
	server, err := stories.Start(storySites)
	if err != nil {
		return &startError{fmt.Errorf("built-in sites: %w", err)}
	}
	j.sites = server
	if !r.any() {
		j.list = io.NopCloser(strings.NewReader(strings.Join(stories.URLs(storySites), "\n")))
	}
	return nil
}
