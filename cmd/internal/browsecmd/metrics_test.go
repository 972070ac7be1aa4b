package browsecmd

import (
	"testing"

	"github.com/multiscraper/multiscraper/scraperutils/run/metricstest"
)

func TestMetricsAreDocumented(t *testing.T) {
	m := newMetrics()
	m.watch(nil) // which is asked only when somebody reads
	metricstest.Documented(t, "browse_", metricstest.Names(m.registry))
}
