package family

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What two hostile pages at once may cost, under the memory limit that docs/morph.md has.
const (
	hostileMemory = 512             // MiB
	hostileCPU    = 5 * time.Second // of each
)

// hostilePage is an answer that is made to cost its reader dear.
type hostilePage struct {
	name  string
	row   string // of the registry, but for the label and the address
	where string // what the requests that get it have in their method or address; all, if ""
	pages int    // how many requests get it; 0 is all

	body        func() []byte     // {N} in it becomes the number of the answer
	contentType string            // text/html; charset=utf-8, if ""
	header      func(http.Header) // nil: no others

	want  string // what the error says; "" where there is none
	quick bool   // it is tried whenever the tests run
}

const (
	rowTechnologyOne = "platform: technologyone, period: L28"
	rowCivica        = "platform: civica, period: last30days"
	rowMasterView    = "platform: masterview"
	rowMasterViewAPI = "platform: masterview, use_api: true"
	rowEPathway      = "platform: epathway, list: all, max_pages: 2"
	rowIcon          = "platform: icon, period: last28days"
	rowHorizon       = "platform: horizon"
	rowATDIS         = "platform: atdis"
)

// TestHostilePages feeds each page to two authorities of one process at the same time. MULTISCRAPER_HOSTILE=all tries every
// page (make hostile), otherwise the quick ones are.
func TestHostilePages(t *testing.T) {
	long(t)
	all := os.Getenv("MULTISCRAPER_HOSTILE") != ""
	for _, p := range hostilePages {
		if !all && !p.quick {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			path := database(t)
			got := runChild(t, []string{"GOMEMLIMIT=400MiB", "MORPH_CLIENT_TIMEOUT=60", "MORPH_RUN_TIMEOUT=60"}, "--no-delay", "--attempts", "1", "--max-workers", "2",
				"--authorities", p.rows(t), "--authority", "hostile_a,hostile_b", "--db", path)
			got.underMemory(t, hostileMemory)
			t.Logf("CPU of each: %.1f s", got.cpu.Seconds()/2)
			if !raceDetector {
				assert.Less(t, got.cpu, 2*hostileCPU)
			}
			for _, label := range []string{"hostile_a", "hostile_b"} {
				message := outcome(t, path, label)["error_message"]
				assert.Less(t, len(message), 10_000)
				t.Logf("%s: %.200s", label, message)
				if p.want == "" {
					assert.Empty(t, message)
				} else {
					assert.Contains(t, message, p.want)
				}
			}
		})
	}
}

// rows writes a file with two authorities, each with a site of its own that has this page.
func (p hostilePage) rows(t *testing.T) string {
	t.Helper()
	var rows strings.Builder
	for _, label := range []string{"hostile_a", "hostile_b"} {
		served := httptest.NewServer(p.handler())
		t.Cleanup(served.Close)
		fmt.Fprintf(&rows, "- {authority: %s, url: %q, %s}\n", label, served.URL, p.row)
	}
	path := filepath.Join(t.TempDir(), "hostile.yml")
	require.NoError(t, os.WriteFile(path, []byte(rows.String()), 0o600))
	return path
}

func (p hostilePage) handler() http.Handler {
	body := p.body()
	var answers atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.where != "/robots.txt" && r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		n := answers.Add(1)
		if !strings.Contains(r.Method+" "+r.URL.RequestURI(), p.where) || p.pages > 0 && n > int64(p.pages) {
			_, _ = w.Write([]byte("<html><body><h1>Welcome</h1>"))
			return
		}
		if p.contentType != "" {
			w.Header().Set("Content-Type", p.contentType)
		}
		if p.header != nil {
			p.header(w.Header())
		}
		before, after, numbered := bytes.Cut(body, []byte("{N}"))
		_, _ = w.Write(before)
		if numbered {
			fmt.Fprint(w, n)
		}
		_, _ = w.Write(after)
	})
}

// full is a body just below the limit: what begins it, then as many units as there is room for, and what ends it.
func full(before, unit, after string) func() []byte {
	return func() []byte {
		const room = 20<<20 - 1<<10
		return []byte(before + strings.Repeat(unit, (room-len(before)-len(after))/len(unit)) + after)
	}
}

// times is so many units.
func times(n int, before, unit, after string) func() []byte {
	return func() []byte { return []byte(before + strings.Repeat(unit, n) + after) }
}

// numbered is units with a number in each, up to a size in MiB.
func numbered(mib int, before, unit, after string) func() []byte {
	return func() []byte {
		var b bytes.Buffer
		b.WriteString(before)
		for i := 0; b.Len() < mib<<20-len(after)-1<<10; i++ {
			fmt.Fprintf(&b, unit, i)
		}
		b.WriteString(after)
		return b.Bytes()
	}
}

// numberedTimes is so many units with a number in each.
func numberedTimes(n int, before, unit, after string) func() []byte {
	return func() []byte {
		var b bytes.Buffer
		b.WriteString(before)
		for i := range n {
			fmt.Fprintf(&b, unit, i)
		}
		b.WriteString(after)
		return b.Bytes()
	}
}

func joinedBodies(parts ...func() []byte) func() []byte {
	return func() []byte {
		var all []byte
		for _, p := range parts {
			all = append(all, p()...)
		}
		return all
	}
}
