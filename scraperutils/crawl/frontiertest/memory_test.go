package frontiertest

import (
	"testing"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// inMemory is the driver of this package.
var inMemory = Driver{New: func(_ testing.TB, hash func(string) int64) Place {
	m := newMemory(hash)
	return Place{Open: func(time.Time) (crawl.Frontier, error) { return m.Open(), nil }}
}}

func TestMemory(t *testing.T) { Run(t, inMemory) }

func BenchmarkMemory(b *testing.B) { Benchmarks(b, inMemory) }
