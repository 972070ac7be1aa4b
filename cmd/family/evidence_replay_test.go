package family

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// failingSite fails in the way that a path names.
func failingSite(t *testing.T) string {
	t.Helper()
	var errors atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hangs":
			<-r.Context().Done()
		case "/stops":
			_, _ = fmt.Fprint(w, strings.Repeat("half", 2000))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/breaks":
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, "half")
		case "/resets":
			panic(http.ErrAbortHandler)
		case "/flickers":
			if errors.Add(1)%2 == 1 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		case "/loops":
			http.Redirect(w, r, "/loops", http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A failure that no answer shows plays again from its recording, in the same class and the same words.
func TestFailedConnectionsReplay(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	const gone = "http://127.0.0.1:1" // nobody listens there, and no other test is given it
	getting := func(urls ...string) scraperFunc {
		return func(ctx context.Context, v *site.Visit) error {
			for _, url := range urls {
				if _, err := v.Agent.Get(ctx, url); err != nil {
					return fmt.Errorf("fetch the list: %w", err)
				}
			}
			return errors.New("the list is broken")
		}
	}
	served := func(path string) string { return failingSite(t) + path } // each has its own, so that nobody waits for another
	scrapers, classes := map[string]scraperFunc{}, map[string]string{}
	for label, c := range map[string]struct {
		class   string
		scraper scraperFunc
	}{
		"refused":  {"connect", getting(gone + "/a")},
		"shared":   {"connect", getting(gone + "/b")}, // whose host is down when its turn comes
		"unknown":  {"dns", getting("http://council.invalid/")},
		"insecure": {"tls", getting(secure.URL)},
		"hangs":    {"timeout", getting(served("/"), served("/hangs"))},
		"stops":    {"timeout", getting(served("/stops"))},
		"breaks":   {"connect", getting(served("/breaks"))},
		"resets":   {"connect", getting(served("/resets"))},
		"loops":    {"http-3xx", getting(served("/loops"))},
		"flickers": {"other", getting(served("/flickers"))}, // it is asked for twice, and the second answer is good
	} {
		scrapers[label], classes[label] = c.scraper, c.class
	}
	one := 1
	_, path := scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true, Attempts: &one}, defaults(t, "MORPH_CLIENT_TIMEOUT=2"), scrapers)
	for label, scraper := range scrapers {
		live := outcome(t, path, label)
		assert.Equal(t, classes[label], live["failure_class"], label)
		require.NotEmpty(t, live["evidence"], label)
		_, replayed := scrapeWith(t, t.Context(), &runCommand{family: councils, Replay: live["evidence"]}, defaults(t), map[string]scraperFunc{label: scraper})
		again := outcome(t, replayed, label)
		for _, field := range []string{"verdict", "failure_class", "error_message"} {
			assert.Equal(t, live[field], again[field], label)
		}
	}
	assert.Contains(t, outcome(t, path, "flickers")["error_message"], "the list is broken")
	c, err := cassette.Load(filepath.Join(outcome(t, path, "flickers")["evidence"], "test", "flickers.yml"))
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(c.Interactions, func(i cassette.Interaction) bool {
		return i.Response.Status == 500 && i.Superseded
	}), "what was tried again is kept")
}

// An authority that falls silent leaves what its sites answered, and has what they answered when all was well to compare with.
func TestEvidenceOfSilence(t *testing.T) {
	t.Parallel()
	served := newSite(t)
	folder := t.TempDir()
	silent := []string{
		"CREATE TABLE authority_history (authority_label UNIQUE, last_run_at, last_records_on, usual_gap_days)",
		"INSERT INTO authority_history VALUES ('council', '2019-05-01T00:00:00Z', '2019-05-01', 1)",
	}
	run := func(n int, ended error, before ...string) (path string) {
		_, path = scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true, Evidence: folder}, defaults(t), map[string]scraperFunc{
			"council": func(ctx context.Context, v *site.Visit) error {
				if _, err := v.Agent.Get(ctx, fmt.Sprintf("%s/?records=%d", served, n)); err != nil {
					return err
				}
				return errors.Join(saving(n)(ctx, v), ended)
			},
		}, before...)
		return path
	}
	good := filepath.Join(folder, "good", "test", "council.yml")
	asked := func(path string) string {
		c, err := cassette.Load(path)
		require.NoError(t, err)
		return strings.TrimPrefix(c.Interactions[len(c.Interactions)-1].Request.URL, served)
	}

	assert.Empty(t, outcome(t, run(3, nil), "council")["evidence"])
	assert.Equal(t, []string{good}, filesBelow(t, folder))
	assert.Equal(t, "/?records=3", asked(good))
	run(4, nil)
	assert.Equal(t, []string{good}, filesBelow(t, folder))
	assert.Equal(t, "/?records=4", asked(good), "it rolls")

	assert.Equal(t, "empty", outcome(t, run(0, nil), "council")["verdict"])
	assert.Equal(t, "/?records=4", asked(good), "nothing is nothing to compare with")
	assert.Len(t, filesBelow(t, folder), 1)

	o := outcome(t, run(0, nil, silent...), "council")
	assert.Equal(t, "silent", o["verdict"])
	assert.Equal(t, "/?records=0", asked(filepath.Join(o["evidence"], "test", "council.yml")))
	o = outcome(t, run(2, errors.New("broken")), "council")
	assert.Equal(t, "partial", o["verdict"])
	assert.Equal(t, "/?records=4", asked(good), "what failed is not good")
	assert.Equal(t, "/?records=2", asked(filepath.Join(o["evidence"], "test", "council.yml")))
}

// The command that the report gives plays the failure of an authority that stands in a file of one's own, also one of a night in which
// the council's day had begun and the run's had not.
func TestReplayCommandOfAFile(t *testing.T) {
	t.Parallel()
	path := database(t)
	more := filepath.Join(filepath.Dir(path), "more of mine.yml")
	writeFile(t, more, "- {authority: mine, platform: atdis, url: 'http://127.0.0.1:1/atdis'}\n")
	known, err := authorities.Load(more)
	require.NoError(t, err)
	entries, err := known.Select([]string{"mine"})
	require.NoError(t, err)
	ctx, d, err := councils.openStore(t.Context(), path)
	require.NoError(t, err)
	night := site.Clock{Now: time.Date(2026, 11, 22, 13, 15, 0, 0, time.UTC)}
	_, err = (&runCommand{family: councils, DB: path, LogFormat: "text", NoDelay: true, Attempts: new(1)}).scrape(ctx, silent(), defaults(t), night, entries, d, nil)
	require.NoError(t, errors.Join(err, d.Close()))
	live := outcome(t, path, "mine")
	require.Contains(t, live["error_message"], "=2026-11-23)")
	_, command, found := strings.Cut(scrape(t, t.Context(), nil, "report", "--db", path).stdout, "replay it: scrape ")
	require.True(t, found)
	command, _, _ = strings.Cut(command, "\n")
	assert.Contains(t, command, " --authorities '"+more+"' ")

	replay := filepath.Join(filepath.Dir(path), "replay.sqlite")
	command = strings.NewReplacer("'"+more+"'", "FILE", " replay.sqlite", " "+replay).Replace(command)
	args := strings.Fields(command)
	args[slices.Index(args, "FILE")] = more
	got := scrape(t, t.Context(), nil, args...)
	assert.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	again := outcome(t, replay, "mine")
	assert.Equal(t, "connect", again["failure_class"])
	assert.Equal(t, live["error_message"], again["error_message"])
}

// Of a whole platform, and of everything, those are played that have a recording, and the others are named. One that is named by
// its label fails without.
func TestReplayWhatIsThere(t *testing.T) {
	t.Parallel()
	tapes, path := t.TempDir(), database(t)
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", database(t), "--record", tapes, "--as-of", "2025-05-07").code)
	for _, authority := range []string{"icon/*", ""} {
		got := scrape(t, t.Context(), nil, "--replay", tapes, "--authority", authority, "--as-of", "2025-05-07", "--db", path)
		assert.Equal(t, cli.ExitOK, got.code, got.stderr)
		assert.Contains(t, got.stdout, "authority=kyogle verdict=ok")
		assert.Contains(t, got.stdout, "not played, for "+tapes+" has no recording of them: ")
		assert.Contains(t, got.stdout, "hobart, ")
		assert.NotContains(t, got.stdout, "authority=hobart")
	}
	got := scrape(t, t.Context(), nil, "--replay", tapes, "--authority", "icon/*,hobart", "--as-of", "2025-05-07", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Contains(t, got.stdout, "hobart.yml: no such file or directory")

	got = scrape(t, t.Context(), nil, "--replay", tapes, "--authority", "atdis/*", "--db", path)
	assert.Equal(t, cli.ExitUsage, got.code)
	assert.Equal(t, "scrape: --replay: can't use \""+tapes+"\": expected a folder with recordings of what is selected: PLATFORM/AUTHORITY.yml\n", got.stderr)
}

// What is implausible leaves its recording too, though the verdict comes when the whole run is over, and is no good one.
func TestEvidenceOfTheImplausible(t *testing.T) {
	t.Parallel()
	served, path := knownSite(t), database(t)
	more := filepath.Join(filepath.Dir(path), "more.yml")
	with := strings.Replace(served.URL, "://", "://"+url.UserPassword(secretUser, secretPassword).String()+"@", 1)
	writeFile(t, more, fmt.Sprintf("- {authority: few, platform: atdis, url: %q, least_records: 20}\n", with+"/good"))
	got := scrape(t, t.Context(), nil, "--authorities", more, "--authority", "few", "--no-delay", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	o := outcome(t, path, "few")
	assert.Equal(t, "implausible", o["verdict"])
	assert.FileExists(t, filepath.Join(o["evidence"], "atdis", "few.yml"))
	assert.Len(t, filesBelow(t, filepath.Join(filepath.Dir(path), "evidence")), 1)
	assert.Contains(t, scrape(t, t.Context(), nil, "report", "--db", path).stdout, "--replay "+o["evidence"])
}
