package family

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// asking is a scraper that gets a page and then does something else.
func asking(page string, then func() error) scraperFunc {
	return func(ctx context.Context, v *site.Visit) error {
		if _, err := v.Agent.Get(ctx, page); err != nil {
			return err
		}
		return then()
	}
}

// However a scraper ends, its failure leaves a recording.
func TestEvidenceOfEveryEnd(t *testing.T) {
	t.Parallel()
	served := newSite(t)
	got, path := scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true}, defaults(t), map[string]scraperFunc{
		"panics": asking(served+"/panics", func() error { panic("reading the table") }),
		"exits":  asking(served+"/exits", func() error { runtime.Goexit(); return nil }),
		"fails":  asking(served+"/fails", func() error { return errors.New("it is broken") }),
	})
	assert.Equal(t, cli.ExitUnexpected, got.code)
	for _, label := range []string{"panics", "exits", "fails"} {
		o := outcome(t, path, label)
		c, err := cassette.Load(filepath.Join(o["evidence"], "test", label+".yml"))
		if assert.NoError(t, err, label) {
			assert.Equal(t, served+"/"+label, c.Interactions[len(c.Interactions)-1].Request.URL)
		}
	}
	assert.Equal(t, "panic", outcome(t, path, "panics")["failure_class"])
	assert.Contains(t, outcome(t, path, "panics")["error_backtrace"], "evidence_test.go:", "where it panicked is still known")
}

// The folder of recordings may have any name, and what else is in it stays.
func TestEvidenceInAnyFolder(t *testing.T) {
	t.Parallel()
	served := newSite(t)
	folder := filepath.Join(t.TempDir(), "[2019 *?")
	writeFile(t, filepath.Join(folder, "0000-notes", "test", "fails.yml"), "mine")
	for run := range 5 {
		writeFile(t, filepath.Join(folder, time.Date(2019, 5, 1+run, 0, 0, 0, 0, time.UTC).Format("2006-01-02T15-04-05"), "test", "fails.yml"), "old")
	}
	_, path := scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true, Evidence: folder}, defaults(t), map[string]scraperFunc{
		"fails": asking(served+"/forbidden", nil),
	})
	o := outcome(t, path, "fails")
	assert.Equal(t, "blocked", o["failure_class"])
	assert.NotContains(t, o["error_message"], "pattern")
	var names []string
	for _, name := range filesBelow(t, folder) {
		names = append(names, strings.TrimPrefix(name, folder+"/"))
	}
	require.Len(t, names, 4)
	assert.Equal(t, []string{"0000-notes/test/fails.yml", "2019-05-04T00-00-00/test/fails.yml", "2019-05-05T00-00-00/test/fails.yml"}, names[:3])
}

// Where no recording can be written, the log says so once, and nobody's failure is another.
func TestEvidenceThatCannotBeKept(t *testing.T) {
	t.Parallel()
	served := newSite(t)
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "no folder")
	got, path := scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true, Evidence: file}, defaults(t), map[string]scraperFunc{
		"one": asking(served+"/forbidden", nil), "two": asking(served+"/forbidden", nil), "good": saving(1),
	})
	for _, label := range []string{"one", "two"} {
		o := outcome(t, path, label)
		assert.Equal(t, "blocked", o["failure_class"])
		assert.NotContains(t, o["error_message"], file)
		assert.Empty(t, o["evidence"])
	}
	assert.Equal(t, "ok", outcome(t, path, "good")["verdict"])
	assert.Equal(t, 1, strings.Count(got.stdout, "there may be no recording of it"))
	assert.NotContains(t, got.stderr, "recording")
}

// An authority that works at last leaves no recording of how it failed before.
func TestEvidenceOfAnEarlierAttemptGoes(t *testing.T) {
	t.Parallel()
	served, attempts := newSite(t), 0
	_, path := scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true}, defaults(t), map[string]scraperFunc{
		"flickers": asking(served+"/", func() error {
			if attempts++; attempts == 1 {
				return errors.New("not yet")
			}
			return nil
		}),
	})
	assert.Equal(t, 2, attempts)
	assert.Empty(t, filesBelow(t, filepath.Join(filepath.Dir(path), "evidence")))
}

// Nothing is left of the bodies of a run where nothing failed.
func TestNoFailureLeavesNothing(t *testing.T) {
	t.Parallel()
	served := newSite(t)
	_, path := scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true}, defaults(t), map[string]scraperFunc{
		"good": asking(served+"/", func() error { return nil }),
	})
	for _, name := range filesBelow(t, filepath.Dir(path)) {
		assert.True(t, strings.HasPrefix(name, path), name)
	}
}

// Of two authorities on one host, one fetches the robots.txt; the recordings of both reproduce what it forbids.
func TestReplayOfASharedRobots(t *testing.T) {
	t.Parallel()
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /list")
	}))
	defer served.Close()
	var entries []registry.Entry
	for _, label := range []string{"first", "second"} {
		e := registry.Entry{Scraper: asking(served.URL+"/list", nil)}
		e.Label, e.Platform, e.URL = label, "test", served.URL+"/?council="+label
		entries = append(entries, e)
	}
	scrape := func(c *runCommand, entries ...registry.Entry) (path string) {
		path = database(t)
		d, err := db.Open(t.Context(), path, db.Options{})
		require.NoError(t, err)
		c.DB, c.LogFormat, c.NoDelay = path, "text", true
		var out strings.Builder
		_, err = c.scrape(t.Context(), cli.Console{Env: os.Getenv, Stdout: &out, Stderr: &out}, defaults(t), site.Clock{Now: time.Now()}, entries, store{d, &commitLog{}}, nil)
		require.NoError(t, errors.Join(err, d.Close()))
		return path
	}
	path := scrape(&runCommand{family: councils}, entries...)
	served.Close()
	for _, e := range entries {
		o := outcome(t, path, e.Label)
		require.Equal(t, "robots", o["failure_class"], o["error_message"])
		again := outcome(t, scrape(&runCommand{family: councils, Replay: o["evidence"]}, e), e.Label)
		for _, field := range []string{"verdict", "failure_class", "error_message"} {
			assert.Equal(t, o[field], again[field], e.Label)
		}
	}
}

// Following the report's advice changes nothing in the database of real runs, and even a replay into it is no run of the sites.
func TestReplayLeavesHistoryAlone(t *testing.T) {
	t.Parallel()
	path := database(t)
	scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa,kyogle", "--misbehave", "noosa=layout-later", "--db", path)
	history := "SELECT * FROM authority_history ORDER BY 1"
	before, list := rows(t, path, history), scrape(t, t.Context(), nil, "list", "noosa", "kyogle", "--db", path)
	require.NotEmpty(t, before)
	report := scrape(t, t.Context(), nil, "report", "--db", path).stdout
	assert.Contains(t, report, " --db replay.sqlite\n")

	folder := outcome(t, path, "noosa")["evidence"]
	scrape(t, t.Context(), nil, "--authority", "noosa,kyogle", "--replay", folder, "--as-of", "2019-05-15", "--db", path)
	assert.Equal(t, before, rows(t, path, history))
	assert.Equal(t, list, scrape(t, t.Context(), nil, "list", "noosa", "kyogle", "--db", path))
	assert.Equal(t, report, scrape(t, t.Context(), nil, "report", "--db", path).stdout)
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--failed", "--db", path)
	assert.Contains(t, got.stdout, "authority=noosa verdict=ok")
	assert.NotContains(t, got.stdout, "authority=kyogle")
}

// The evidence of a failure reproduces it, offline.
func TestEvidenceReproducesTheFailure(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa,kyogle", "--misbehave", "noosa=layout-later", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	failed := outcome(t, path, "noosa")
	assert.Empty(t, outcome(t, path, "kyogle")["evidence"], "what is well leaves none")

	report := scrape(t, t.Context(), nil, "report", "--db", path)
	assert.Contains(t, report.stdout, "noosa: partial (layout), 5 records")
	_, command, found := strings.Cut(report.stdout, "replay it: scrape ")
	require.True(t, found, report.stdout)
	command, _, _ = strings.Cut(command, "\n")
	replayed := database(t)
	got = scrape(t, t.Context(), nil, append(strings.Fields(command), "--db", replayed)...)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	again := outcome(t, replayed, "noosa")
	for _, field := range []string{"verdict", "failure_class", "error_message", "records_saved", "error_class"} {
		assert.Equal(t, failed[field], again[field], field)
	}
}

// The last three recordings of an authority are kept.
func TestOldEvidenceGoes(t *testing.T) {
	t.Parallel()
	path := database(t)
	folder := t.TempDir()
	for i := range 5 {
		args := []string{"--fixtures", "--no-delay", "--attempts", "1", "--authority", "noosa", "--misbehave", "noosa=missing", "--db", path, "--evidence", folder}
		if i == 0 {
			args = append(args, "--authority", "noosa,mosman", "--misbehave", "mosman=missing")
		}
		scrape(t, t.Context(), nil, args...)
	}
	var noosa, mosman int
	for _, name := range filesBelow(t, folder) {
		noosa += strings.Count(name, "technologyone/noosa.yml")
		mosman += strings.Count(name, "icon/mosman.yml")
	}
	assert.Equal(t, 3, noosa)
	assert.Equal(t, 1, mosman)
}
