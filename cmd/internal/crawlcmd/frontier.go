package crawlcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// makeFolder makes the folder of a file.
func makeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return &startError{fmt.Errorf("make the folder of %s: %w", path, err)}
	}
	return nil
}

// openFrontier opens a frontier for a worker.
func openFrontier(ctx context.Context, path string) (*frontier.Frontier, error) {
	if err := makeFolder(path); err != nil {
		return nil, err
	}
	return frontier.Open(ctx, path, time.Now(), frontier.Options{})
}

// joinFrontier opens a frontier to add to it.
func joinFrontier(ctx context.Context, path string) (*frontier.Frontier, error) {
	if err := makeFolder(path); err != nil {
		return nil, err
	}
	return frontier.Join(ctx, path, frontier.Options{})
}

// look opens the frontier that the settings name, has somebody look into it, and closes it.
func look(ctx context.Context, c cli.Console, do func(settings, crawl.Frontier) error) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	if _, err := os.Stat(s.frontier); os.IsNotExist(err) {
		return cli.ExitUsage, fmt.Errorf("there is no frontier %s: crawl add URL… makes one, --frontier names another", s.frontier)
	}
	f, err := frontier.Join(ctx, s.frontier, frontier.Options{Existing: true})
	if err != nil {
		return cli.ExitUsage, err
	}
	defer f.Close()
	return cli.ExitOK, do(s, f)
}
