package cassette_test

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// generated is a recording of many pages, every second one binary.
func generated(pages int) *cassette.Cassette {
	c := &cassette.Cassette{}
	for i := range pages {
		body := strings.Repeat(fmt.Sprintf("<tr><td class=\"grid\">DA %d/2019</td></tr>\r\n", i), 500)
		if i%2 == 1 {
			body += "\xff"
		}
		c.Interactions = append(c.Interactions, cassette.Interaction{
			Request:  cassette.Request{Method: "GET", URL: fmt.Sprintf("http://a.example/list?page=%d&order=%%24asc", i), Header: http.Header{"Accept": {"*/*"}}},
			Response: cassette.Response{Status: 200, Message: "OK", Header: http.Header{"Server": {"nginx"}}, Body: cassette.NewBody([]byte(body))},
		})
	}
	return c
}

func BenchmarkLoad(b *testing.B) {
	path := filepath.Join(b.TempDir(), "generated.yml")
	require.NoError(b, generated(200).Write(path))
	b.Run("generated", func(b *testing.B) { benchmarkLoad(b, path) })
	b.Run("real", func(b *testing.B) {
		files := councils(b)
		sizes := map[string]int64{}
		for _, f := range files {
			info, err := os.Stat(f)
			require.NoError(b, err)
			sizes[f] = info.Size()
		}
		slices.SortFunc(files, func(x, y string) int { return cmp.Compare(sizes[y], sizes[x]) })
		for _, f := range files[:min(5, len(files))] {
			b.Run(filepath.Base(f), func(b *testing.B) { benchmarkLoad(b, f) })
		}
		b.Run("all", func(b *testing.B) { benchmarkLoad(b, files...) })
	})
}

// benchmarkLoad compares with what the YAML costs alone.
func benchmarkLoad(b *testing.B, files ...string) {
	var size int64
	for _, f := range files {
		info, err := os.Stat(f)
		require.NoError(b, err)
		size += info.Size()
	}
	each := func(name string, load func(string) error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				for _, f := range files {
					require.NoError(b, load(f))
				}
			}
		})
	}
	each("load", func(f string) error { _, err := cassette.Load(f); return err })
	each("yaml alone", func(f string) error {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		return yaml.Unmarshal(data, &yaml.Node{})
	})
}

func BenchmarkWrite(b *testing.B) {
	c, path := generated(200), filepath.Join(b.TempDir(), "generated.yml")
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, c.Write(path))
	}
}

// BenchmarkPlay is one request; it costs the same whatever the number of interactions is.
func BenchmarkPlay(b *testing.B) {
	for _, pages := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprintf("interactions=%d", pages), func(b *testing.B) {
			c := &cassette.Cassette{}
			for i := range pages {
				c.Interactions = append(c.Interactions, recording(fmt.Sprintf("http://a.example/list?page=%d", i)).Interactions...)
			}
			player, next := c.Player(), 0
			for b.Loop() {
				if next == pages {
					b.StopTimer()
					player, next = c.Player(), 0
					b.StartTimer()
				}
				_, err := ask(b, player, "GET", c.Interactions[next].Request.URL)
				require.NoError(b, err)
				next++
			}
		})
	}
}
