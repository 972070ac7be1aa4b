package family_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/fixtures/misbehave"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// families are programs that others could have written: a module of their own that imports this one.
var families = []struct {
	program string
	sites   []string // labels
	column  string   // of the label
	counts  []int    // records of each site
	first   string   // the first record of the first site, on 2026-11-22
	lacks   string   // what its first page lacks when it has a new layout
}{
	{
		"library", []string{"alder", "birch", "cedar"}, "library", []int{7, 7, 7},
		"978-0-00-000001-0 | Local history, volume 1 | A. Writer | 2026-11-21 | https://catalog.alder.example/title/1 | alder", "form form#search",
	},
	{"jsonapi", []string{"north", "south"}, "api", []int{5, 5}, "9007199254740993 | Event 1 | 2026-11-22T19:00:00Z | NULL | 0 | north", "JSON"},
	{"prices", []string{"adelaide", "berlin", "geneva"}, "market", []int{5, 5, 5}, "2026-11-22 | Apples | I | 2.82 | AUD | adelaide", "table with product, grade, price"},
	{"quotes", []string{"work", "quotes"}, "site", []int{3, 5}, "“Ask forgiveness.” | Grace | 1906-12-09 | in London | work | work", "div.quote"},
}

// built makes the programs, as their own module does, and returns the folder that they are in.
func built(t *testing.T) string {
	t.Helper()
	module, err := filepath.Abs(filepath.Join("testdata", "families"))
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(module, "go.mod")); err != nil {
		t.Skip("the module of the families is not here: it is no part of this module's download")
	}
	folder := t.TempDir()
	for from, to := range map[string]string{filepath.Join(module, "go.mod"): "go.mod", "../../go.sum": "go.sum"} {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, to), text, 0o600))
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-modfile", filepath.Join(folder, "go.mod"), "-ldflags=-s -w",
		"-o", folder+string(filepath.Separator), "./...")
	build.Dir, build.Env = module, append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return folder
}

// program is a family's command in a folder of its own.
type program struct {
	path, dir string
}

// run returns what it prints and its exit code.
func (p program) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), p.path, args...)
	var out, errs bytes.Buffer
	command.Dir, command.Env, command.Stdout, command.Stderr = p.dir, []string{"HOME=" + p.dir}, &out, &errs
	err := command.Run()
	if command.ProcessState == nil {
		require.NoError(t, err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

// good runs it and expects no failure.
func (p program) good(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := p.run(t, args...)
	require.Zero(t, code, "%v\n%s%s", args, stdout, stderr)
	return stdout
}

// records returns the lines of the table, in order, by site.
func (p program) records(t *testing.T, file, column string) map[string][]string {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(p.dir, file))
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "select "+column+", data.* from data order by rowid")
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	all := map[string][]string{}
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		var texts []string
		for _, v := range values[1:] {
			if !v.Valid {
				v.String = "NULL"
			}
			texts = append(texts, v.String)
		}
		all[values[0].String] = append(all[values[0].String], strings.Join(texts, " | "))
	}
	require.NoError(t, rows.Err())
	return all
}

// Whoever writes a family of their own has the whole command. Four programs cost seconds to link: make test has a family in library_test.go.
func TestFamiliesOfOthers(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestAnotherFamilyFails and others of library_test.go
	folder := built(t)
	for _, f := range families {
		t.Run(f.program, func(t *testing.T) {
			t.Parallel()
			p := program{path: filepath.Join(folder, f.program), dir: t.TempDir()}
			bad := f.sites[0]
			on := []string{"--fixtures", "--no-delay", "--as-of", "2026-11-22"}
			with := func(args ...string) []string { return append(slices.Clone(on), args...) }

			// A site that fails leaves the others alone, and can be tried again, and looked at.
			stdout, stderr, code := p.run(t, with("--misbehave", bad+"=layout", "--attempts", "1")...)
			require.Equal(t, 1, code, stdout+stderr)
			assert.Contains(t, stdout, "class=layout")
			assert.Contains(t, stdout, "no "+f.lacks)
			assert.Contains(t, stdout, "the page has headings Our new web site")
			assert.Len(t, p.records(t, "try.sqlite", f.column), len(f.sites)-1)
			evidence, err := filepath.Glob(filepath.Join(p.dir, "evidence", "2*"))
			require.NoError(t, err)
			require.Len(t, evidence, 1)
			again, _, code := p.run(t, "--"+f.column, bad, "--replay", evidence[0], "--as-of", "2026-11-22", "--db", "replay.sqlite")
			assert.Equal(t, 1, code)
			assert.Contains(t, again, "no "+f.lacks)
			assert.Contains(t, p.good(t, with("--failed")...), f.column+"="+bad+" verdict=ok")

			all := p.records(t, "try.sqlite", f.column)
			for i, site := range f.sites {
				assert.Len(t, all[site], f.counts[i], site)
			}
			assert.Equal(t, f.first, all[bad][0])

			// What is recorded plays back to the same records; what is known is not known twice.
			p.good(t, with("--record", "tapes")...)
			assert.Equal(t, all, p.records(t, "try.sqlite", f.column))
			p.good(t, "--replay", "tapes", "--as-of", "2026-11-22", "--db", "replayed.sqlite")
			replayed := p.records(t, "replayed.sqlite", f.column)
			assert.Len(t, replayed, len(all))
			for site, want := range all {
				assert.ElementsMatch(t, want, replayed[site], site)
			}

			list := p.good(t, "list", "--db", "try.sqlite")
			for _, site := range f.sites {
				assert.Regexp(t, "(?m)^"+site+" .* ok$", list)
			}
			assert.Contains(t, p.good(t, "report", "--db", "try.sqlite"), fmt.Sprint(len(f.sites), " ok"))
			assert.Contains(t, p.good(t, "report", "--html", "--db", "try.sqlite"), "<html")
			lines := strings.Split(strings.TrimSpace(p.good(t, "export", bad, "--db", "try.sqlite")), "\n")
			assert.Len(t, lines, 1+f.counts[0], "the names of the columns, and the records of one site")
			assert.Contains(t, lines[0], f.column)
			assert.Contains(t, p.good(t, "run", "--help"), "--"+f.column+"=A,B")
			_, stderr, code = p.run(t, "--"+f.column, "nobody", "--fixtures")
			assert.Equal(t, 2, code)
			assert.Contains(t, stderr, "unknown "+f.column+": nobody")
		})
	}
	t.Run("prices change", func(t *testing.T) {
		t.Parallel()
		p := program{path: filepath.Join(folder, "prices"), dir: t.TempDir()}
		for _, day := range []string{"2026-11-21", "2026-11-22", "2026-11-22", "2026-11-23"} {
			p.good(t, "--fixtures", "--no-delay", "--market", "berlin", "--as-of", day)
		}
		all := p.records(t, "try.sqlite", "market")["berlin"]
		assert.Len(t, all, 15, "three days of five prices, one of them scraped twice")
		assert.Equal(t, "2026-11-21 | Apples | I | 2.75 | EUR | berlin", all[0])
		assert.Equal(t, "2026-11-22 | Apples | I | 2.82 | EUR | berlin", all[5])
	})
	t.Run("misbehaviours", func(t *testing.T) {
		t.Parallel()
		misbehaves(t, program{path: filepath.Join(folder, "library"), dir: t.TempDir()})
	})
}

// catalogFates is what becomes of a catalog whose site misbehaves: its verdict, and of a failure its class. Those that try a
// scraper's patience are left out.
var catalogFates = map[misbehave.Way]string{
	misbehave.Nowhere: "failed dns", misbehave.Refused: "failed connect", misbehave.Certificate: "failed tls", misbehave.Hang: "failed timeout",
	misbehave.Drop: "failed connect", misbehave.Reset: "failed connect", misbehave.Half: "failed connect", misbehave.HalfOnce: "ok",
	misbehave.Forbidden: "failed blocked", misbehave.Missing: "failed http-4xx", misbehave.Broken: "failed http-5xx",
	misbehave.TooMany: "failed rate-limited", misbehave.TooManyOnce: "ok", misbehave.RobotsClosed: "failed robots", misbehave.RobotsBroken: "ok",
	misbehave.Redirects: "failed http-3xx", misbehave.Bomb: "failed other", misbehave.Maintenance: "failed maintenance", misbehave.Wall: "failed blocked",
	misbehave.Layout: "failed layout", misbehave.Charset: "ok", misbehave.Empty: "empty",
}

// misbehaves runs a library for each way to fail, in one run with one that is fine.
func misbehaves(t *testing.T, p program) {
	var rows, ways, labels strings.Builder
	impatient := map[misbehave.Way]string{misbehave.Hang: ", timeout: 1"}
	for way := range catalogFates {
		fmt.Fprintf(&rows, "- {library: x-%s, platform: opac, url: 'https://x-%s.example/', subject: Cats%s}\n", way, way, impatient[way])
		fmt.Fprintf(&ways, "x-%s=%s,", way, way)
		fmt.Fprintf(&labels, "x-%s,", way)
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "more.yml"), []byte(rows.String()), 0o600))
	stdout, stderr, code := p.run(t, "--libraries", "more.yml", "--library", labels.String()+"alder", "--fixtures", "--no-delay", "--attempts", "1", "--misbehave", strings.TrimSuffix(ways.String(), ","))
	assert.Equal(t, 1, code, stderr)
	for way, want := range catalogFates {
		verdict, class, failed := strings.Cut(want, " ")
		line := "library=x-" + string(way) + " verdict=" + verdict + " "
		if failed {
			line += "class=" + class + " "
		}
		assert.True(t, strings.Contains(stdout, line), "expected %sin\n%s", line, stdout)
	}
	assert.Contains(t, stdout, "library=alder verdict=ok records=7 ")
}
