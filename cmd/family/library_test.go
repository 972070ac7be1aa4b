package family

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// libraries is another family than councils: what a stranger writes.
func libraries() Family {
	return Family{
		Name: "books",
		Registry: registry.Config{
			Terms: registry.Terms{Site: "library", Sites: "libraries"},
			Rows: []byte(`
- {library: north, platform: shelf, url: "http://north.example/", shelf: novels}
- {library: south, platform: shelf, url: "http://both.example/south", shelf: novels}
- {library: east, platform: shelf, url: "https://east.example/", shelf: novels}
- {library: west, platform: shelf, url: "http://both.example/west", shelf: novels, proxy: true}
`),
			Platforms: registry.Platforms{"shelf": registry.Platform(newShelf)},
		},
		Table: Table{Keys: []string{"author", "title"}},
		Check: func(r scraperutils.Record, _ time.Time) error {
			if r.Text("title") == "" {
				return &scraperutils.UnprocessableRecord{Reason: "it has no title"}
			}
			return nil
		},
		BuiltIn: Handlers(func(e registry.Entry, _ time.Time) http.Handler { return shelfSite(e.Label) }),
	}
}

// shelf is a platform: a page with a list.
type shelf struct{ url, shelf string }

func newShelf(s site.Site, o struct {
	Shelf string `yaml:"shelf"`
}) (shelf, error) {
	return shelf{s.URL, o.Shelf}, site.OneOf("shelf", o.Shelf, "novels", "plays")
}

func (s shelf) Scrape(ctx context.Context, v *site.Visit) error {
	page, err := v.Agent.Get(ctx, s.url+"?shelf="+s.shelf)
	if err != nil {
		return fmt.Errorf("fetch the list: %w", err)
	}
	document, err := page.Document()
	if err != nil {
		return err
	}
	books := document.Find("li")
	if books.Length() == 0 {
		return page.Missing("li")
	}
	for _, li := range books.EachIter() {
		author, title, _ := strings.Cut(li.Text(), ": ")
		if err := v.Save(ctx, scraperutils.Record{{Name: "author", Value: author}, {Name: "title", Value: title}}); err != nil {
			return err
		}
	}
	return nil
}

// shelfSite is the built-in site of a library.
type shelfSite string

func (s shelfSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>%s</title><ul><li>Austen: Emma<li>Sand: Indiana<li>Nobody: </ul>", s)
}

// ofLibraries runs the command of the libraries.
func ofLibraries(t *testing.T, env []string, args ...string) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := libraries().run(t.Context(), args, cli.NewConsole("books", env, &stdout, &stderr))
	return ended{code, stdout.String(), stderr.String()}
}

// Another family has the whole command, in its own words.
func TestAnotherFamily(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := ofLibraries(t, nil, "--fixtures", "--no-delay", "--db", path)
	require.Equal(t, cli.ExitOK, got.code, got.stdout+got.stderr)
	assert.Contains(t, got.stdout, "library=north verdict=ok records=2 rejected=1")
	assert.Contains(t, got.stdout, "\nLibrary ")
	assert.Contains(t, got.stdout, "BOOKS_EXPECT_BAD=")
	assert.Equal(t, []map[string]string{{"author": "Austen", "title": "Emma", "library": "north"}, {"author": "Sand", "title": "Indiana", "library": "north"}},
		rows(t, path, "SELECT * FROM data WHERE library = 'north' ORDER BY author"))
	assert.Equal(t, []map[string]string{{"library": "north", "reference": "Nobody ", "reason": "it has no title"}},
		rows(t, path, "SELECT library, reference, reason FROM rejected WHERE library = 'north'"))

	assert.Contains(t, ofLibraries(t, nil, "list", "--db", path).stdout, "LIBRARY  PLATFORM  HOST           LAST VERDICT\nnorth    shelf     north.example  ")
	assert.Contains(t, ofLibraries(t, nil, "report", "--html", "--db", path).stdout, "All 4 libraries are well")
	assert.Contains(t, ofLibraries(t, []string{"BOOKS_LIBRARIES=noth"}).stderr, "books: unknown library: noth (did you mean north, south?); `books list` shows all\n")

	help := ofLibraries(t, nil, "--help").stdout
	for _, word := range []string{"authorit", "council", "MORPH", "scrape list", "BOOKS_DAYS"} {
		assert.NotContains(t, help, word)
	}
	assert.Contains(t, help, "--library=A,B")
	assert.Contains(t, help, "--libraries=FILE")
}

// What failed is tried again, kept, replayed, and asked for alone, in any family.
func TestAnotherFamilyFails(t *testing.T) {
	t.Parallel()
	path := database(t)
	args := []string{"--fixtures", "--no-delay", "--db", path}
	got := ofLibraries(t, nil, append(args, "--misbehave", "north=layout,south=missing,east=certificate")...)
	require.Equal(t, cli.ExitUnexpected, got.code, got.stdout+got.stderr)
	for label, class := range map[string]string{"north": "layout", "south": "http-4xx", "east": "tls", "west": ""} {
		assert.Equal(t, class, outcome(t, path, label)["failure_class"], label)
	}
	evidence := outcome(t, path, "north")["evidence"]
	assert.Contains(t, ofLibraries(t, nil, "report", "--db", path).stdout, "replay it: books --library north --replay "+evidence)
	again := ofLibraries(t, nil, "--library", "north", "--replay", evidence, "--db", database(t))
	assert.Equal(t, cli.ExitUnexpected, again.code)
	assert.Contains(t, again.stderr, "north: layout - no li in http://north.example/")
	got = ofLibraries(t, nil, append(args, "--failed")...)
	assert.Equal(t, cli.ExitOK, got.code, got.stdout+got.stderr)
	assert.Equal(t, 3, strings.Count(got.stdout, " verdict=ok "))
}

// A built-in site fails in every way that needs no knowledge of it, and the others are refused.
func TestHandlersMisbehave(t *testing.T) {
	t.Parallel()
	for how, why := range map[string]string{
		"north=empty":       "site north can't misbehave as empty: its built-in site does not say how that looks",
		"north=endless":     "site north can't misbehave as endless: its built-in site does not say how that looks",
		"north=certificate": "site north can't misbehave as certificate: its address is not https",
		"south=nowhere":     "site south can't misbehave as nowhere: its host would take others with it; expected the same of west",
	} {
		got := ofLibraries(t, nil, "--fixtures", "--db", database(t), "--misbehave", how)
		assert.Equal(t, ended{cli.ExitUsage, "", "books: built-in sites: " + why + "\n"}, got)
	}
	ways := map[string]string{
		"south=nowhere,west=nowhere": "dns", "south=refused,west=refused": "connect", "south=drop": "connect", "south=forbidden": "blocked",
		"south=broken": "http-5xx", "south=maintenance": "maintenance", "south=wall": "blocked", "south=bomb": "other", "south=robots,west=robots": "robots",
		"south=half": "connect", "south=redirects": "http-3xx", "south=charset": "", "south=broken-once": "",
	}
	if !testsize.Full() { // TestMisbehavingSiteAlone has all ways for a family with sites of its own
		maps.DeleteFunc(ways, func(how, _ string) bool {
			return !slices.Contains([]string{"south=nowhere,west=nowhere", "south=drop", "south=forbidden", "south=broken-once"}, how)
		})
		require.Len(t, ways, 4)
	}
	for how, class := range ways {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			path := database(t)
			ofLibraries(t, nil, "--fixtures", "--no-delay", "--attempts", "1", "--db", path, "--misbehave", how)
			assert.Equal(t, class, outcome(t, path, "south")["failure_class"])
			assert.Equal(t, "ok", outcome(t, path, "north")["verdict"])
		})
	}
}

// Sites of one host are told apart by their paths, the longest first; what is below none of them is the shortest's.
func TestSitesOfOneHost(t *testing.T) {
	h := &builtInHost{sites: []*builtInSite{{label: "a", path: "/a"}, {label: "all", path: "/"}, {label: "b", path: "/a/b"}}}
	require.NoError(t, h.misbehave())
	for path, want := range map[string]string{"/a/b/c": "b", "/a/c": "a", "/x": "all", "/robots.txt": "all"} {
		assert.Equal(t, want, h.Label(&http.Request{URL: &url.URL{Path: path}}), path)
	}
}

// A bad row is said in the family's words, and a new one is written in them.
func TestRowsOfAnotherFamily(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "more.yml")
	writeFile(t, file, "- {library: a, platform: shelf, url: http://a.example, shelf: poems}\n- {library: b, platform: shelf, url: http://a.example, row: 1}\n")
	got := ofLibraries(t, nil, "list", "--libraries", file)
	assert.Equal(t, cli.ExitUsage, got.code)
	assert.Equal(t, fmt.Sprintf("books: %[1]s line 1, library a: shelf: can't use \"poems\": expected one of novels, plays\n"+
		"books: %[1]s line 2, library b: option: can't use \"row\": expected one of shelf, library, platform, url, timeout, tls_insecure, render, proxy, least_records, least_filled\n", file), got.stderr)

	got = ofLibraries(t, nil, "new", "n", "--fixtures", "--platform", "shelf", "--url", "http://north.example/", "--option", "shelf=novels", "--records", "1")
	assert.Equal(t, cli.ExitOK, got.code, got.stdout+got.stderr)
	assert.Contains(t, got.stdout, "\n- {library: n, platform: shelf, url: http://north.example/, shelf: novels}\n")
}

// A program that has left out what its family needs says so, and runs nothing.
func TestFamilyWithoutWhatItNeeds(t *testing.T) {
	for want, change := range map[string]func(*Family){
		`family.Family.Name: can't use ""`:                                   func(f *Family) { f.Name = "" },
		"family.Table.Keys: can't use":                                       func(f *Family) { f.Table.Keys = nil },
		`family.Table.Keys: can't use "library"`:                             func(f *Family) { f.Table.Keys = []string{"library"} },
		`family.Table.Name: can't use "scrape_log"`:                          func(f *Family) { f.Table.Name = "scrape_log" },
		"family.Family.Registry.Platforms: can't use":                        func(f *Family) { f.Registry.Platforms = nil },
		`family.Family.Registry.Terms: can't use "Court House, Court Houses`: func(f *Family) { f.Registry.Terms = registry.Terms{Site: "Court House"} },
	} {
		f := libraries()
		change(&f)
		var stderr bytes.Buffer
		assert.Equal(t, cli.ExitUsage, f.run(t.Context(), []string{"list"}, cli.NewConsole("books", nil, io.Discard, &stderr)))
		assert.Contains(t, stderr.String(), want)
	}
}

// A family without built-in sites has no flags for them.
func TestFamilyWithoutBuiltInSites(t *testing.T) {
	f := libraries()
	f.BuiltIn = nil
	var stdout, stderr bytes.Buffer
	assert.Equal(t, cli.ExitUsage, f.run(t.Context(), []string{"--fixtures"}, cli.NewConsole("books", nil, &stdout, &stderr)))
	assert.Equal(t, "books: unknown flag --fixtures; books --help shows what there is\n", stderr.String())
}
