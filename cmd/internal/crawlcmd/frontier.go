package crawlcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// place is where a frontier is: the path of a file, or the URL of a database, whose password is for nobody's eyes.
type place string

// parsePlace reads a path or a URL.
func parsePlace(s string) (place, error) {
	if postgres.IsURL(s) {
		return place(s), postgres.Check(s)
	}
	return place(s), nil
}

// shared reports whether workers on several machines may use it.
func (p place) shared() bool { return postgres.IsURL(string(p)) }

// String is the place without its password.
func (p place) String() string {
	if p.shared() {
		return postgres.Redacted(string(p))
	}
	return string(p)
}

// folder is where a run puts its files that are not told where to go.
func (p place) folder() string {
	if p.shared() {
		return filepath.Dir(defaultFrontier)
	}
	return filepath.Dir(string(p))
}

// makeFolder makes the folder of a file.
func makeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return &startError{fmt.Errorf("make the folder of %s: %w", path, err)}
	}
	return nil
}

// firstAnswer is how long the first answer of a host is taken to need.
const firstAnswer = time.Second

// restAfterDeath is how long a host is left alone that was being asked for the first time when its worker died: it may still be answering.
func (s settings) restAfterDeath() time.Duration {
	if s.pace.NoDelay {
		return 0
	}
	return firstAnswer + s.pace.MinInterval
}

// open opens a frontier for a worker, which is told of new work where others can add it unseen.
func (p place) open(ctx context.Context, rest time.Duration, onWork func()) (crawl.Frontier, error) {
	if p.shared() {
		return openShared(ctx, p, postgres.Options{OnWork: onWork})
	}
	if err := makeFolder(string(p)); err != nil {
		return nil, err
	}
	f, err := frontier.Open(ctx, string(p), time.Now(), frontier.Options{Rest: rest})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// join opens a frontier to add to it, or to look where it has to exist.
func (p place) join(ctx context.Context, existing bool) (crawl.Frontier, error) {
	if p.shared() {
		return openShared(ctx, p, postgres.Options{Existing: existing})
	}
	if _, err := os.Stat(string(p)); existing && os.IsNotExist(err) {
		return nil, &startError{fmt.Errorf("there is no frontier %s: crawl add URL… makes one, --frontier names another", p)}
	}
	if !existing {
		if err := makeFolder(string(p)); err != nil {
			return nil, err
		}
	}
	f, err := frontier.Join(ctx, string(p), frontier.Options{Existing: existing})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func openShared(ctx context.Context, p place, o postgres.Options) (crawl.Frontier, error) {
	f, err := postgres.Open(ctx, string(p), o)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// look opens the frontier that the settings name, has somebody look into it, and closes it.
func look(ctx context.Context, c cli.Console, do func(settings, crawl.Frontier) error) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	f, err := s.frontier.join(ctx, true)
	if err != nil {
		return cli.ExitUsage, err
	}
	defer f.Close()
	return cli.ExitOK, do(s, f)
}

// Join opens a crawl's frontier, a file or a database, to add to it beside the processes that work on it. Where there is none it is made.
func Join(ctx context.Context, at string) (crawl.Frontier, error) { return place(at).join(ctx, false) }
