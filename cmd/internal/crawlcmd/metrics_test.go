package crawlcmd

import (
	"testing"

	"github.com/multiscraper/multiscraper/scraperutils/run/metricstest"
)

func TestMetricsAreDocumented(t *testing.T) {
	metricstest.Documented(t, "crawl_", metricstest.Names(newMetrics().registry, newQueue(nil)))
}
