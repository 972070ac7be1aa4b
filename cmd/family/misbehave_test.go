package family

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// fate is what becomes of an authority whose site misbehaves.
type fate struct {
	verdict, class string
	slow           bool // it takes the better part of a minute
}

// fates is what each misbehaviour comes to.
var fates = map[fixtures.Misbehaviour]fate{
	fixtures.Nowhere:      {"failed", "dns", false},
	fixtures.Refused:      {"failed", "connect", false},
	fixtures.Certificate:  {"failed", "tls", false},
	fixtures.Hang:         {"failed", "timeout", false},
	fixtures.Drop:         {"failed", "connect", false},
	fixtures.Reset:        {"failed", "connect", false},
	fixtures.Half:         {"failed", "connect", false},
	fixtures.HalfOnce:     {"ok", "", false},
	fixtures.Forbidden:    {"failed", "blocked", false},
	fixtures.Missing:      {"failed", "http-4xx", false},
	fixtures.Broken:       {"failed", "http-5xx", false},
	fixtures.BrokenOnce:   {"ok", "", false},
	fixtures.Busy:         {"failed", "http-5xx", true},
	fixtures.BusyOnce:     {"ok", "", true},
	fixtures.TooMany:      {"failed", "rate-limited", false},
	fixtures.TooManyOnce:  {"ok", "", false},
	fixtures.RobotsClosed: {"failed", "robots", false},
	fixtures.RobotsBroken: {"ok", "", false},
	fixtures.Redirects:    {"failed", "http-3xx", false},
	fixtures.Endless:      {"partial", "layout", true},
	fixtures.Bomb:         {"failed", "other", false},
	fixtures.Maintenance:  {"failed", "maintenance", false},
	fixtures.Wall:         {"failed", "blocked", false},
	fixtures.Layout:       {"failed", "layout", false},
	fixtures.Charset:      {"ok", "", false},
	fixtures.LayoutLater:  {"partial", "layout", false},
	fixtures.Empty:        {"empty", "", false},
}

// outcome is the last row of an authority in the log.
func outcome(t testing.TB, path, label string) map[string]string {
	t.Helper()
	all := rows(t, path, "SELECT * FROM scrape_log WHERE authority_label = ? ORDER BY attempt DESC LIMIT 1", label)
	require.Len(t, all, 1, label)
	return all[0]
}

// Each site that misbehaves ends in its own class, in the right exit code, and its neighbour does not notice.
func TestMisbehavingSiteAlone(t *testing.T) {
	long(t)
	t.Parallel()
	for _, how := range fixtures.Misbehaviours() {
		want, ok := fates[how]
		require.True(t, ok, "what %s comes to is not said here", how)
		if want.slow {
			continue // with all the others, below
		}
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			path := database(t)
			patience := "MORPH_CLIENT_TIMEOUT=20" // more than any answer takes on a busy machine
			attempts := "2"
			if how == fixtures.Hang {
				patience, attempts = "MORPH_CLIENT_TIMEOUT=2", strconv.Itoa(testsize.Of(1, 2))
			}
			got := scrape(t, t.Context(), []string{patience}, "--fixtures", "--no-delay", "--authority", "noosa,kyogle", "--attempts", attempts, "--misbehave", "noosa="+string(how), "--db", path)
			bad := outcome(t, path, "noosa")
			assert.Equal(t, want.verdict, bad["verdict"])
			assert.Equal(t, want.class, bad["failure_class"], bad["error_message"])
			assert.Equal(t, "ok", outcome(t, path, "kyogle")["verdict"])
			if want.class == "" {
				assert.Equal(t, cli.ExitOK, got.code, got.stdout)
				assert.Empty(t, got.stderr)
				return
			}
			assert.Equal(t, cli.ExitUnexpected, got.code)
			assert.Contains(t, got.stderr, "ERROR: Unexpected errors in: noosa (Add to MORPH_EXPECT_BAD?)")
			assert.Contains(t, got.stdout, "See earlier output for details")
		})
	}
}

// What helps is tried again, what does not is not.
func TestSecondAttempts(t *testing.T) {
	t.Parallel()
	for how, want := range map[fixtures.Misbehaviour]string{
		fixtures.Missing: "2", fixtures.Layout: "2", fixtures.Maintenance: "2", fixtures.Nowhere: "2",
		fixtures.Forbidden: "1", fixtures.Wall: "1", fixtures.RobotsClosed: "1",
	} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			path := database(t)
			scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa", "--misbehave", "noosa="+string(how), "--db", path)
			assert.Equal(t, want, outcome(t, path, "noosa")["attempt"])
			assert.Len(t, rows(t, path, "SELECT * FROM scrape_summary"), int(want[0]-'0'), "one row per attempt")
		})
	}
	t.Run("as often as is said", func(t *testing.T) {
		t.Parallel()
		path := database(t)
		scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa", "--misbehave", "noosa=missing", "--attempts", "3", "--db", path)
		assert.Len(t, rows(t, path, "SELECT DISTINCT run_at FROM scrape_log"), 3)
	})
	t.Run("records of the first stay", func(t *testing.T) {
		t.Parallel()
		path := database(t)
		got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa", "--misbehave", "noosa=layout-later", "--db", path)
		assert.Len(t, rows(t, path, "SELECT * FROM data"), 5)
		assert.Contains(t, got.stdout, "noosa                     5      0 layout - ")
	})
}

// MORPH_EXPECT_BAD makes an expected failure a success, and one that works a failure.
func TestExpectBad(t *testing.T) {
	t.Parallel()
	path := database(t)
	args := []string{"--fixtures", "--no-delay", "--authority", "noosa,kyogle", "--misbehave", "noosa=missing", "--db", path}
	got := scrape(t, t.Context(), []string{"MORPH_EXPECT_BAD=noosa"}, args...)
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, "noosa                     0      0 [EXPECT BAD] http-4xx - ")
	assert.Empty(t, got.stderr)

	got = scrape(t, t.Context(), []string{"MORPH_EXPECT_BAD=technologyone/*"}, args...)
	assert.Equal(t, cli.ExitOK, got.code, "a platform's authorities, though most are not scraped now")

	got = scrape(t, t.Context(), []string{"MORPH_EXPECT_BAD=noosa, kyogle"}, args...)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Equal(t, "WARNING: Remove kyogle from MORPH_EXPECT_BAD as it now works!\n", got.stderr)
}

// All at once, beside twenty that are well: those give every record, the others end as they do alone, and memory stays low.
func TestAllMisbehavingSitesAtOnce(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestMisbehavingSiteAlone has each
	long(t)
	t.Parallel()
	known, err := authorities.Load()
	require.NoError(t, err)
	entries, err := known.Select([]string{"technologyone/*", "icon/*"})
	require.NoError(t, err)
	path := database(t)
	args := []string{"--fixtures", "--no-delay", "--attempts", "1", "--db", path}
	bad := map[string]fixtures.Misbehaviour{}
	labels := make([]string, 0, len(fates)+20)
	for i, e := range entries[:len(fates)+20] {
		labels = append(labels, e.Label)
		if i < len(fates) { // the first are technologyone's, whose list can be endless
			how := fixtures.Misbehaviours()[i]
			bad[e.Label] = how
			args = append(args, "--misbehave", e.Label+"="+string(how))
		}
	}
	args = append(args, "--authority", strings.Join(labels, ","))
	got := runChild(t, []string{"MORPH_CLIENT_TIMEOUT=5"}, args...)
	assert.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	got.underMemory(t, 200)
	for _, label := range labels {
		o := outcome(t, path, label)
		want := fates[bad[label]]
		if bad[label] == "" {
			want = fate{verdict: "ok"}
		}
		assert.Equal(t, want.verdict, o["verdict"], "%s %s: %s", label, bad[label], o["error_message"])
		assert.Equal(t, want.class, o["failure_class"], "%s %s: %s", label, bad[label], o["error_message"])
	}
}

// A bomb costs next to nothing.
func TestGzipBomb(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := runChild(t, nil, "--fixtures", "--no-delay", "--authority", "noosa", "--misbehave", "noosa=bomb", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Contains(t, outcome(t, path, "noosa")["error_message"], "the body has more than 20 MiB")
	got.underMemory(t, 200) // a busy machine collects garbage late
	assert.Less(t, got.cpu, 20*time.Second, "10 GB would cost more than that")
}

func TestClassesOfTheTableAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	for how, f := range fates {
		if f.class == "" {
			continue
		}
		known := []scraperutils.Class{scraperutils.ClassDNS, scraperutils.ClassConnect, scraperutils.ClassTLS, scraperutils.ClassTimeout, scraperutils.ClassHTTP3xx, scraperutils.ClassHTTP4xx, scraperutils.ClassHTTP5xx,
			scraperutils.ClassBlocked, scraperutils.ClassRateLimited, scraperutils.ClassRobots, scraperutils.ClassMaintenance, scraperutils.ClassLayout, scraperutils.ClassOther}
		assert.Contains(t, known, scraperutils.Class(f.class), how)
	}
}
