package streamcmd

import (
	"testing"

	"github.com/multiscraper/multiscraper/scraperutils/run/metricstest"
)

func TestMetricsAreDocumented(t *testing.T) {
	metricstest.Documented(t, "stream_", metricstest.Names(newTally().registry))
}
