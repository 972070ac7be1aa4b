package family

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// scraperFunc is a scraper that a test makes up.
type scraperFunc func(ctx context.Context, v *site.Visit) error

func (f scraperFunc) Scrape(ctx context.Context, v *site.Visit) error { return f(ctx, v) }

// scrapeWith runs made-up scrapers by their labels, in alphabetical order, through a whole run.
func scrapeWith(t *testing.T, ctx context.Context, c *runCommand, s settings, scrapers map[string]scraperFunc, before ...string) (ended, string) {
	t.Helper()
	path := database(t)
	return scrapeInto(t, ctx, path, c, s, scrapers, before...), path
}

// scrapeInto is scrapeWith into a database of a path.
func scrapeInto(t *testing.T, ctx context.Context, path string, c *runCommand, s settings, scrapers map[string]scraperFunc, before ...string) ended {
	t.Helper()
	var stdout, stderr strings.Builder
	code, err := scrapeOnto(t, ctx, cli.NewConsole("scrape", os.Environ(), &stdout, &stderr), path, c, s, scrapers, before...)
	if err != nil {
		stderr.WriteString(err.Error())
	}
	return ended{code, stdout.String(), stderr.String()}
}

// scrapeOnto is scrapeInto with a console of the caller's.
func scrapeOnto(t *testing.T, ctx context.Context, on cli.Console, path string, c *runCommand, s settings, scrapers map[string]scraperFunc, before ...string) (code int, err error) {
	t.Helper()
	ctx, d, err := councils.openStore(ctx, path)
	require.NoError(t, err)
	for _, statement := range before {
		_, err := d.Exec(ctx, statement)
		require.NoError(t, err)
	}
	var entries []registry.Entry
	for _, label := range sortedKeys(scrapers) {
		e := registry.Entry{Scraper: scrapers[label]}
		e.Label, e.Platform, e.URL = label, "test", "http://"+label+".example"
		entries = append(entries, e)
	}
	c.DB, c.LogFormat = path, "text"
	code, err = c.scrape(ctx, on, s, site.Clock{Now: time.Now()}, entries, d, nil)
	return code, errors.Join(err, d.Close())
}

func application(n int) register.Application {
	return register.Application{Reference: fmt.Sprintf("DA/%d", n), Address: "1 High St, Town NSW 2000", Description: "Shed", InfoURL: "http://a.example/"}
}

func defaults(t *testing.T, env ...string) settings {
	t.Helper()
	s, err := councils.readSettings(cli.NewConsole("scrape", env, io.Discard, io.Discard), time.Now())
	require.NoError(t, err)
	return s
}

// A scraper may fail in every way that Go has.
func TestScrapersThatFail(t *testing.T) {
	t.Parallel()
	rejecting := func(good, bad int) scraperFunc {
		return func(ctx context.Context, v *site.Visit) error {
			if err := saving(good)(ctx, v); err != nil {
				return err
			}
			for i := range bad {
				a := application(1000 + i)
				a.Address = " "
				if err := register.Save(ctx, v, a); err != nil {
					return err
				}
			}
			return nil
		}
	}
	got, path := scrapeWith(t, t.Context(), &runCommand{family: councils, Attempts: new(1)}, defaults(t), map[string]scraperFunc{
		"good":         saving(3),
		"some bad":     rejecting(20, 7),
		"too many bad": rejecting(20, 8),
		"panics":       func(context.Context, *site.Visit) error { panic("reading the table") },
		"panics later": func(ctx context.Context, v *site.Visit) error { _ = saving(2)(ctx, v); panic("reading the table") },
		"nothing":      saving(0),
		"error":        func(context.Context, *site.Visit) error { return errors.New("it is broken") },
		"broken record": func(ctx context.Context, v *site.Visit) error {
			return v.Reject(ctx, "DA/1", errors.New("no date"))
		},
	})
	assert.Equal(t, cli.ExitUnexpected, got.code)
	for label, want := range map[string][3]string{
		"good": {"ok", "", "3"}, "some bad": {"ok", "", "20"}, "too many bad": {"partial", "quality", "20"}, "panics": {"failed", "panic", "0"},
		"panics later": {"partial", "panic", "2"}, "nothing": {"empty", "", "0"}, "error": {"failed", "other", "0"}, "broken record": {"empty", "", "0"},
	} {
		o := outcome(t, path, label)
		assert.Equal(t, want, [3]string{o["verdict"], o["failure_class"], o["records_saved"]}, label)
	}
	panicked := outcome(t, path, "panics")
	assert.Equal(t, "panic: reading the table", panicked["error_message"])
	assert.Contains(t, panicked["error_backtrace"], "scrapers_test.go:")
	assert.Contains(t, got.stdout, "panic - panic: reading the table [")

	assert.Equal(t, "7", outcome(t, path, "some bad")["unprocessable_records"])
	assert.Equal(t, "8", outcome(t, path, "too many bad")["unprocessable_records"], "the eighth was one too many")
	kept := rows(t, path, "SELECT * FROM rejected WHERE authority_label = 'some bad'")
	require.Len(t, kept, 7)
	assert.Equal(t, "address can't be blank", kept[0]["reason"])
	assert.Contains(t, kept[0]["record"], `"council_reference":"DA/100`)
	assert.Equal(t, 2, strings.Count(got.stdout, "Erroneous record DA/100"+"0 - ")+strings.Count(got.stdout, "Erroneous record DA/1001 - ")-2, "the first two of each are in the log")
}

// The run timeout ends a run on time with all that it has, and says so.
func TestRunTimeout(t *testing.T) {
	t.Parallel()
	scrapers := map[string]scraperFunc{
		"hangs": func(ctx context.Context, v *site.Visit) error { <-ctx.Done(); return context.Cause(ctx) },
	}
	for i := range 9 {
		scrapers[fmt.Sprintf("good%d", i)] = func(ctx context.Context, v *site.Visit) error { return register.Save(ctx, v, application(i)) }
	}
	s := defaults(t, "MORPH_RUN_TIMEOUT=1")
	began := time.Now()
	got, path := scrapeWith(t, t.Context(), &runCommand{family: councils}, s, scrapers)
	assert.Less(t, time.Since(began), 11*time.Second)
	assert.Equal(t, cli.ExitTimeout, got.code)
	assert.Equal(t, "ERROR: Script exceeded maximum allowed runtime of 1 seconds!\n", got.stderr)
	assert.True(t, strings.HasSuffix(got.stdout, "ERROR: Script exceeded maximum allowed runtime of 1 seconds!\n"), "the report comes last")
	assert.Contains(t, got.stdout, "Scraping Summary:")
	assert.Len(t, rows(t, path, "SELECT * FROM data"), 9)
	assert.Len(t, rows(t, path, "SELECT * FROM scrape_log"), 10)
	hung := outcome(t, path, "hangs")
	assert.Equal(t, []string{"interrupted", "failed", "run-timeout"}, []string{hung["status"], hung["verdict"], hung["failure_class"]})
	assert.Equal(t, "interrupted", rows(t, path, "SELECT * FROM scrape_summary")[0]["interrupted"][:0]+"interrupted")
}

// A scraper that ignores its context is left behind, by name, after the grace.
func TestScraperThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer func() { close(release); synctest.Wait() }() // it ends before its folder does
		began, path := time.Now(), database(t)
		require.NoError(t, os.WriteFile(path+".live", nil, 0o600)) // or simulated time would wait for those who may follow
		got := scrapeInto(t, t.Context(), path, &runCommand{family: councils}, defaults(t, "MORPH_RUN_TIMEOUT=6h"), map[string]scraperFunc{
			"deaf": func(context.Context, *site.Visit) error { <-release; return nil },
			"good": func(ctx context.Context, v *site.Visit) error { return register.Save(ctx, v, application(1)) },
		})
		assert.Less(t, time.Since(began), 6*time.Hour+11*time.Second, "after the grace of 10 seconds")
		assert.Equal(t, cli.ExitTimeout, got.code)
		assert.Equal(t, "stuck", outcome(t, path, "deaf")["failure_class"])
		assert.Contains(t, outcome(t, path, "deaf")["error_message"], "left behind")
		assert.Contains(t, got.stdout, "TestScraperThatIgnoresItsContext", "where it stands")
		assert.Contains(t, got.stdout, "nobody can follow this run")
		assert.Equal(t, "ok", outcome(t, path, "good")["verdict"])
	})
}

// An authority that used to give records and has given none for long is a failure, though nothing failed.
func TestSilentAuthority(t *testing.T) {
	t.Parallel()
	path := database(t)
	day := func(asOf string, records int) ended {
		d, err := db.Open(t.Context(), path, db.Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, d.Close()) }()
		e := registry.Entry{Scraper: scraperFunc(func(ctx context.Context, v *site.Visit) error {
			for i := range records {
				if err := register.Save(ctx, v, application(i)); err != nil {
					return err
				}
			}
			return nil
		})}
		e.Label, e.Platform = "quiet", "test"
		c := &runCommand{family: councils, DB: path, AsOf: asOf, LogFormat: "text"}
		clock, err := councils.clockOf(asOf, time.Now())
		require.NoError(t, err)
		var stdout, stderr strings.Builder
		code, err := c.scrape(t.Context(), cli.NewConsole("scrape", os.Environ(), &stdout, &stderr), defaults(t), clock, []registry.Entry{e}, store{d, &commitLog{}}, nil)
		require.NoError(t, err)
		return ended{code, stdout.String(), stderr.String()}
	}
	assert.Equal(t, cli.ExitOK, day("2019-05-01", 3).code)
	assert.Equal(t, cli.ExitOK, day("2019-06-03", 0).code, "33 days may pass")
	got := day("2019-06-04", 0)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Contains(t, got.stderr, "quiet: silent - it used to give records and has given none for too long")
	assert.Equal(t, cli.ExitOK, day("2019-06-05", 1).code)
}
