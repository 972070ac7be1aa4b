package warc

import (
	stdlib "compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/sinktest"
)

// html is a page of 36 KB as registers have them: a table whose rows are alike, with text that differs.
func html(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 36))
	words := strings.Fields("dwelling single storey alterations and additions to existing shed carport subdivision of land into lots demolition swimming pool " +
		"retaining wall change use signage commercial premises two new verandah garage fence removal tree extension deck ancillary")
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>Applications</title></head><body><table class=\"grid\">\n")
	for b.Len() < 36<<10 {
		fmt.Fprintf(&b, "<tr class=\"rgRow\"><td class=\"cell\"><a href=\"/details.aspx?id=%d\">DA/%d/%04d</a></td><td class=\"cell\">%d Main Street</td><td class=\"cell\">",
			random.IntN(1e6), 2000+random.IntN(26), random.IntN(1e4), random.IntN(300))
		for range 6 + random.IntN(30) {
			b.WriteString(words[random.IntN(len(words))] + " ")
		}
		b.WriteString("</td></tr>\n")
	}
	return []byte(b.String())
}

// Levels of gzip beside each other, on pages that differ: one page again and again flatters all of them.
func BenchmarkGzip(b *testing.B) {
	pages := make([][]byte, 64)
	for i := range pages {
		pages[i] = html(uint64(i))
	}
	type writer interface {
		io.WriteCloser
		Reset(io.Writer)
	}
	for _, level := range []int{1, 3, 5} {
		klauspost, err := gzip.NewWriterLevel(io.Discard, level)
		require.NoError(b, err)
		standard, err := stdlib.NewWriterLevel(io.Discard, level)
		require.NoError(b, err)
		for name, z := range map[string]writer{"klauspost": klauspost, "standard": standard} {
			b.Run(fmt.Sprintf("%s/%d", name, level), func(b *testing.B) {
				var n counted
				b.SetBytes(int64(len(pages[0])))
				for i := 0; b.Loop(); i++ {
					z.Reset(&n)
					_, _ = z.Write(pages[i%len(pages)])
					_ = z.Close()
				}
				b.ReportMetric(float64(n)/float64(b.N), "bytes/page")
			})
		}
	}
}

type counted int

func (c *counted) Write(b []byte) (int, error) { *c += counted(len(b)); return len(b), nil }

// What a page costs the sink, without the disk, on one processor; and with it, in groups as a worker stores them.
func BenchmarkWriter(b *testing.B) {
	pages := make([]*crawl.Page, 64)
	for i := range pages {
		pages[i] = sinktest.Page(fmt.Sprintf("http://a.example/%d", i), "text/html; charset=utf-8", html(uint64(i)))
	}
	for name, plain := range map[string]bool{"gzip": false, "plain": true} {
		b.Run("encode/"+name, func(b *testing.B) {
			e := newEncoder(plain)
			for i := 0; b.Loop(); i++ {
				_, err := e.pages(pages[i%64:i%64+1], "<info>")
				require.NoError(b, err)
			}
		})
		b.Run("store/"+name, func(b *testing.B) {
			w, err := Open(filepath.Join(b.TempDir(), "warc"), Options{Plain: plain})
			require.NoError(b, err)
			for b.Loop() {
				require.NoError(b, w.Store(b.Context(), pages))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/64, "µs/page")
			require.NoError(b, w.Close())
		})
	}
}
