package family

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// All councils of the registry, on their built-in sites (the first of each platform where not all tests are run): every verdict is ok, and every record is as it must be.
func TestScrapeAllFixtures(t *testing.T) {
	t.Parallel()
	long(t)
	path := database(t)
	known, err := authorities.Load()
	require.NoError(t, err)
	args, entries := []string{"--fixtures", "--no-delay", "--db", path}, known.All()
	if !testsize.Full() {
		platforms := map[string]bool{}
		entries = slices.DeleteFunc(entries, func(e registry.Entry) bool {
			again := platforms[e.Platform]
			platforms[e.Platform] = true
			return again
		})
		var labels []string
		for _, e := range entries {
			labels = append(labels, e.Label)
		}
		args = append(args, "--authority", strings.Join(labels, ","))
	}
	got := scrape(t, t.Context(), nil, args...)
	require.Equal(t, cli.ExitOK, got.code, got.stdout)
	assert.Empty(t, got.stderr)
	all := len(entries)
	assert.Equal(t, all, strings.Count(got.stdout, " verdict=ok "))
	assert.True(t, strings.HasSuffix(got.stdout, "\nExiting with OK status!\n"))
	assert.Less(t, strings.Count(got.stdout, "\n"), all*10)
	assert.Equal(t, 1, strings.Count(got.stdout, "Scheduler processed "), "one summary a run")

	sites, err := councils.startBuiltIn(site.Clock{Now: time.Now(), Zone: councils.Zone}, known, nil)
	require.NoError(t, err)
	defer sites.Close()
	for _, e := range entries {
		var want []map[string]string
		for _, a := range sites.(*fixtures.Server).Records(e.Label) {
			row := map[string]string{
				"council_reference": a.Reference, "address": a.Address, "description": a.Description, "info_url": a.InfoURL,
				"date_received": a.DateReceived, "on_notice_from": a.NoticeFrom, "on_notice_to": a.NoticeTo,
			}
			for name, value := range row {
				if value == "" {
					delete(row, name)
				}
			}
			want = append(want, row)
		}
		got := rows(t, path, "SELECT council_reference, address, description, info_url, date_received, on_notice_from, on_notice_to FROM data WHERE authority_label = ?", e.Label)
		assert.ElementsMatch(t, want, got, e.Label)
	}
}

// Every recorded council gives the records that it must give, by one command a day: one of each platform where not all tests are run.
func TestScrapeRecordings(t *testing.T) {
	t.Parallel()
	long(t)
	folder := shared(t, "councils")
	type council struct {
		Platform, Authority string
		AsOf                string `json:"as_of"`
		Records, Rejected   int
	}
	var index []council
	readJSON(t, filepath.Join(folder, "index.json"), &index)
	days, platforms := map[string][]string{}, map[string]bool{}
	index = slices.DeleteFunc(index, func(c council) bool { // the authorities' own tests have all of them
		again := platforms[c.Platform]
		platforms[c.Platform] = true
		return again && !testsize.Full()
	})
	for _, c := range index {
		days[c.AsOf] = append(days[c.AsOf], c.Platform+"/"+c.Authority)
	}
	for day, labels := range days {
		path := database(t)
		got := scrape(t, t.Context(), nil, "--authority", strings.Join(labels, ","), "--replay", filepath.Join(folder, "cassettes"), "--as-of", day, "--db", path)
		assert.Equal(t, cli.ExitOK, got.code, got.stdout+got.stderr)
		for _, c := range index {
			if c.AsOf != day {
				continue
			}
			var want []map[string]string
			readJSON(t, filepath.Join(folder, "expected", c.Platform, c.Authority+".json"), &want)
			got := rows(t, path, "SELECT * FROM data WHERE authority_label = ? ORDER BY council_reference", c.Authority)
			for _, row := range got {
				delete(row, "authority_label")
			}
			assert.Equal(t, want, got, c.Platform+"/"+c.Authority)
			rejected := rows(t, path, "SELECT unprocessable_records AS n FROM scrape_log WHERE authority_label = ?", c.Authority)
			assert.Equal(t, fmt.Sprint(c.Rejected), rejected[0]["n"], c.Authority)
		}
	}
}

// What was recorded plays again, without the sites, and gives the same.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	tapes := t.TempDir()
	labels := "kyogle,noosa,byron,ballarat,woollahra,maitland,kiama"
	live, replayed := database(t), database(t)
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", labels, "--db", live, "--record", tapes, "--as-of", "2025-05-07")
	require.Equal(t, cli.ExitOK, got.code, got.stdout+got.stderr)
	got = scrape(t, t.Context(), nil, "--replay", tapes, "--authority", labels, "--db", replayed, "--as-of", "2025-05-07")
	require.Equal(t, cli.ExitOK, got.code, got.stdout+got.stderr)
	all := "SELECT * FROM data ORDER BY authority_label, council_reference"
	assert.Equal(t, rows(t, live, all), rows(t, replayed, all))
	assert.NotEmpty(t, rows(t, live, all))
}

// A recording that can't be played is its authority's failure alone, in one line that says what is wrong.
func TestBadRecordings(t *testing.T) {
	t.Parallel()
	tapes := t.TempDir()
	path := database(t)
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path, "--record", tapes, "--as-of", "2025-05-07").code)
	writeFile(t, filepath.Join(tapes, "icon", "hobart.yml"), "http_interactions: nothing")
	writeFile(t, filepath.Join(tapes, "icon", "swan.yml"), "http_interactions: []")

	got := scrape(t, t.Context(), nil, "--replay", tapes, "--authority", "kyogle,hobart,swan,mosman", "--db", path, "--as-of", "2025-05-07")
	assert.Equal(t, cli.ExitUnexpected, got.code)
	for _, want := range []string{
		"ERROR: Unexpected errors in: hobart,swan,mosman (Add to MORPH_EXPECT_BAD?)",
		"hobart.yml: http_interactions is text; expected a list",
		"other - fetch the search page: GET https://elodge.swan.wa.gov.au/Pages/XC.Track/SearchApplication.aspx is not in ",
		"mosman.yml: no such file or directory",
	} {
		assert.Contains(t, got.stdout, want)
		assert.Contains(t, got.stderr, want)
	}
	assert.NotContains(t, got.stdout, "goroutine")
	assert.Contains(t, got.stdout, "authority=kyogle verdict=ok")
}

// A record is written so that what reads the gem's databases reads ours.
func TestSchemaOfData(t *testing.T) {
	t.Parallel()
	path := database(t)
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path).code)
	var sql []string
	for _, r := range rows(t, path, "SELECT sql FROM sqlite_schema WHERE tbl_name = 'data' AND sql IS NOT NULL ORDER BY type DESC") {
		sql = append(sql, r["sql"])
	}
	assert.Equal(t, []string{
		"CREATE TABLE data ('council_reference','address','description','info_url','date_scraped','date_received','authority_label', UNIQUE ('authority_label','council_reference'))",
		"CREATE UNIQUE INDEX 'authority_label_council_reference' ON data ('authority_label','council_reference')",
	}, sql)
	before := rows(t, path, "SELECT rowid, * FROM data ORDER BY rowid")
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path).code)
	assert.Equal(t, before, rows(t, path, "SELECT rowid, * FROM data ORDER BY rowid"), "saved again, a record keeps its row")
}

// MORPH_DISABLE_THREADS and MORPH_MAX_WORKERS change when things happen, not what comes out.
func TestWorkersGiveTheSame(t *testing.T) {
	t.Parallel()
	all := "SELECT * FROM data ORDER BY authority_label, council_reference"
	labels := "kyogle,noosa,cowra,weddin,uralla,kiama"
	var want []map[string]string
	for i, env := range [][]string{nil, {"MORPH_DISABLE_THREADS=1"}, {"MORPH_MAX_WORKERS=2"}} {
		path := database(t)
		got := scrape(t, t.Context(), env, "--fixtures", "--no-delay", "--authority", labels, "--db", path)
		require.Equal(t, cli.ExitOK, got.code, got.stdout)
		if i == 0 {
			want = rows(t, path, all)
		}
		assert.Equal(t, want, rows(t, path, all), env)
	}
	assert.NotEmpty(t, want)
}

func TestAuthoritiesFromTheEnvironment(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := scrape(t, t.Context(), []string{"MORPH_AUTHORITIES= kyogle ,hobart,kyogle"}, "--fixtures", "--no-delay", "--db", path)
	require.Equal(t, cli.ExitOK, got.code)
	var labels []string
	for _, r := range rows(t, path, "SELECT authority_label FROM scrape_log ORDER BY 1") {
		labels = append(labels, r["authority_label"])
	}
	assert.Equal(t, []string{"hobart", "kyogle"}, slices.Compact(labels), "doubles collapse")
}

// As JSON, every line of the log is an object, the report the last of them.
func TestJSONLog(t *testing.T) {
	t.Parallel()
	got := scrape(t, t.Context(), []string{"MORPH_EXPECT_BAD=noosa", "MORPH_NOT_COMPLIANT=1"}, "--fixtures", "--no-delay", "--authority", "kyogle,noosa", "--misbehave", "noosa=missing", "--log-format", "json", "--db", database(t))
	assert.Equal(t, cli.ExitOK, got.code)
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	var last map[string]any
	for _, line := range lines {
		last = nil
		require.NoError(t, json.Unmarshal([]byte(line), &last), line)
	}
	assert.Equal(t, "report", last["message"])
	assert.Equal(t, float64(0), last["exit_code"])
	assert.Equal(t, []any{"MORPH_NOT_COMPLIANT is set: pages that a robots.txt forbids are fetched all the same"}, last["warnings"])
	outcomes := last["outcomes"].([]any)
	assert.Equal(t, map[string]any{"authority": "kyogle", "verdict": "ok", "records": float64(15), "rejected": float64(0)}, outcomes[0])
	assert.Equal(t, "http-4xx", outcomes[1].(map[string]any)["failure_class"])
	assert.Equal(t, true, outcomes[1].(map[string]any)["expected_bad"])
}

// Two hundred authorities stay under two thousand lines though each fails twice, has no robots.txt, and says all that it can.
func TestLogOfFailuresStaysShort(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	served := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(map[string]int{"/robots.txt": http.StatusInternalServerError}[r.URL.Path] + map[string]int{"/page": http.StatusNotFound}[r.URL.Path])
	})}
	go func() { _ = served.Serve(listener) }()
	defer served.Close()
	scrapers := map[string]scraperFunc{}
	for i := range 200 {
		page := fmt.Sprintf("http://127.0.1.%d:%d/page", i+1, listener.Addr().(*net.TCPAddr).Port) // a host each
		scrapers[fmt.Sprintf("council%03d", i)] = func(ctx context.Context, v *site.Visit) error {
			for n := range 20 {
				a := application(n)
				if n%5 == 0 {
					a.Address = ""
				}
				if err := register.Save(ctx, v, a); err != nil {
					return err
				}
				v.Skip(ctx, a.Reference, "for no reason")
			}
			_, err := v.Agent.Get(ctx, page)
			return err
		}
	}
	c := &runCommand{family: councils, NoDelay: true, Evidence: filepath.Join(t.TempDir(), "file")}
	writeFile(t, c.Evidence, "no folder")
	got, path := scrapeWith(t, t.Context(), c, defaults(t), scrapers)
	assert.Less(t, strings.Count(got.stdout, "\n"), 2000)
	assert.Len(t, rows(t, path, "SELECT 1 FROM scrape_log"), 400)
	for text, most := range map[string]int{"Erroneous record": 400, "skipped DA/": 200, "no robots.txt could be read": 200, " done ": 400, "no recording of it": 1} {
		assert.Equal(t, most, strings.Count(got.stdout, text), text)
	}
}

// Two hundred authorities stay under two thousand lines, whatever becomes of them, and say nothing wide.
func TestLogStaysShort(t *testing.T) {
	t.Parallel()
	scrapers := map[string]scraperFunc{}
	for i := range 200 {
		scrapers[fmt.Sprintf("council%03d", i)] = func(ctx context.Context, v *site.Visit) error {
			for n := range 20 {
				a := application(n)
				a.Description = "A shed \U0001F3E0"
				if n%3 == 0 {
					a.Address = ""
				}
				if err := register.Save(ctx, v, a); err != nil {
					return err
				}
				v.Skip(ctx, a.Reference, "for no reason")
			}
			return errors.New("it is broken \U0001F3E0")
		}
	}
	got, path := scrapeWith(t, t.Context(), &runCommand{family: councils}, defaults(t), scrapers)
	assert.Less(t, strings.Count(got.stdout, "\n"), 2000)
	for _, r := range got.stdout {
		require.LessOrEqual(t, r, rune(0xffff))
	}
	assert.Equal(t, "A shed \U0001F3E0", rows(t, path, "SELECT description FROM data LIMIT 1")[0]["description"], "what is stored is as it was")
}
