package family

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
)

// TestServeSoak has runs follow each other for SERVE_SOAK, such as 1h, and keeps a page of a browser open at /now all the time. What memory
// server and browser take goes to standard output and to serve.csv in SERVE_SOAK_OUT, sixty times at least. In the last quarter it may be a
// fifth more than in the second: in the first, programs still grow into their work.
func TestServeSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("SERVE_SOAK"))
	if err != nil {
		t.Skip("takes as long as SERVE_SOAK says, such as 1h: make serve-soak")
	}
	folder := os.Getenv("SERVE_SOAK_OUT")
	if folder == "" {
		folder = t.TempDir()
	}
	file, err := os.Create(filepath.Join(folder, "serve.csv"))
	require.NoError(t, err)
	defer file.Close()
	out := csv.NewWriter(io.MultiWriter(file, os.Stdout))
	require.NoError(t, out.Write([]string{"seconds", "runs", "server_rss_mib", "browser_rss_mib", "js_heap_mib", "dom_nodes"}))

	s := startServerOf(t, database(t))
	w := pagetest.Open(t)
	w.Visit(s.address + "/now")
	began, runs := time.Now(), 0
	var levels [][]float64 // of each minute
	for every := min(time.Minute, length/60); time.Since(began) < length; runs++ {
		s.runOnce(t, w)
		if time.Since(began) < time.Duration(len(levels))*every {
			continue
		}
		m := w.Memory()
		level := []float64{mib(pagetest.RSS(s.Process.Pid)), mib(m.RSS), mib(m.Heap), float64(m.Nodes)}
		levels = append(levels, level)
		row := []string{fmt.Sprintf("%.0f", time.Since(began).Seconds()), fmt.Sprint(runs + 1)}
		for _, n := range level {
			row = append(row, fmt.Sprintf("%.1f", n))
		}
		require.NoError(t, out.Write(row))
		out.Flush()
	}
	require.NoError(t, out.Error())
	for i, what := range []string{"RSS of the server", "RSS of the browser", "heap of the page", "nodes of the page"} {
		before, after := median(levels, i, 1), median(levels, i, 3)
		t.Logf("%s: %.1f in the second quarter, %.1f in the last", what, before, after)
		assert.LessOrEqual(t, after, 1.2*before, what)
	}
}

// runOnce begins a run, and waits until the page shows its end.
func (s *server) runOnce(t *testing.T, w *pagetest.Window) {
	t.Helper()
	var before string
	w.Run(`document.querySelector("main").dataset.key`, &before)
	s.runAll(t)
	w.Until(fmt.Sprintf(`((key) => key !== %q && key.endsWith(" over"))(document.querySelector("main").dataset.key)`, before))
}

// runAll begins a run of all sites, and waits for its end.
func (s *server) runAll(t *testing.T) {
	t.Helper()
	until(t, "a run begins", func() bool { return s.do(t, "/run", url.Values{"which": {"all"}}, s.address) == http.StatusSeeOther })
	until(t, "it has the database", func() bool { return db.Holder(s.path) != 0 })
	until(t, "it ends", func() bool { return db.Holder(s.path) == 0 })
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// median is that of a column in a quarter of the rows, from 0.
func median(rows [][]float64, column, quarter int) float64 {
	var all []float64
	for _, row := range rows[len(rows)*quarter/4 : len(rows)*(quarter+1)/4] {
		all = append(all, row[column])
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
