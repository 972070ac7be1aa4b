package family

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

func TestRetryable(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"no error":           {nil, false},
		"a status":           {&scraperutils.StatusError{Status: 500}, true},
		"a changed layout":   {&scraperutils.LayoutError{}, true},
		"useless by its own": {fmt.Errorf("x: %w", &scraperutils.UnprocessableSite{Reason: "too many"}), false},
		"robots":             {&scraperutils.UnprocessableSite{Kind: scraperutils.ClassRobots}, false},
		"configuration":      {&scraperutils.ConfigError{}, false},
		"the run's end":      {&scheduler.RunTimeoutError{}, false},
		"left behind":        {&scheduler.StuckError{}, false},
		"a panic":            {&scheduler.PanicError{Value: "x"}, true},
	} {
		assert.Equal(t, c.want, retryable(runlog.Outcome{Err: c.err, Class: scraperutils.ClassOf(c.err)}), name)
	}
}
