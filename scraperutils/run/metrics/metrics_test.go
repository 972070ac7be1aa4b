package metrics_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/metrics"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

var began = time.Date(2026, 11, 21, 1, 17, 0, 0, time.UTC)

func sample() *news.Run {
	well := func(label, platform string, saved int) news.Authority {
		return news.Authority{
			Platform: platform, Outcome: runlog.Outcome{Authority: label, Verdict: runlog.OK, Saved: saved},
			Effort: news.Effort{Requests: 3, Took: 1500 * time.Millisecond, Bytes: 4096},
		}
	}
	bad := news.Authority{Platform: "icon", Outcome: runlog.Outcome{Authority: "kyogle", Verdict: runlog.Failed, Class: scraperutils.ClassLayout, Err: errors.New("no table")}}
	return &news.Run{
		Began: began, Took: 11 * time.Second, ExitCode: 1,
		Authorities: []news.Authority{well("a", "icon", 10), well("b", "icon", 5), bad, well("c", "by \"hand\"\n\\", 1)},
		Waits:       map[string]time.Duration{"max_load": 2500 * time.Millisecond, "crawl-delay": time.Second},
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	runs := []runlog.Run{{At: began.Add(-time.Hour)}, {At: began, Ended: began.Add(11 * time.Second), ExitCode: 1}}
	require.NoError(t, metrics.Write(&b, sample(), runs))
	for _, line := range []string{
		`multiscraper_runs{exit_code="none",source="network"} 1`,
		`multiscraper_runs{exit_code="1",source="network"} 1`,
		`multiscraper_last_run_start_timestamp_seconds{source="network"} 1.79522382e+09`,
		`multiscraper_last_run_duration_seconds{source="network"} 11`,
		`multiscraper_last_run_authorities{class="",platform="icon",verdict="ok"} 2`,
		`multiscraper_last_run_authorities{class="layout",platform="icon",verdict="failed"} 1`,
		`multiscraper_last_run_changes{change="new",platform="icon"} 1`,
		`multiscraper_last_run_changes{change="recovered",platform="icon"} 0`,
		`multiscraper_last_run_records{platform="icon"} 15`,
		`multiscraper_last_run_page_bytes{platform="icon"} 8192`,
		`multiscraper_last_run_authority_seconds{platform="icon"} 3`,
		`multiscraper_last_run_wait_seconds{rule="max_load"} 2.5`,
		`multiscraper_last_run_records{platform="by \"hand\"\n\\"} 1`,
	} {
		assert.Contains(t, b.String(), line+"\n")
	}
}

// Prometheus' own tool reads it and finds nothing to say.
func TestPromtool(t *testing.T) {
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian's package prometheus)")
	}
	var text bytes.Buffer
	require.NoError(t, metrics.Write(&text, sample(), []runlog.Run{{At: began}}))
	check := exec.Command(path, "check", "metrics")
	check.Stdin = &text
	check.Env = append(os.Environ(), "LC_ALL=C")
	out, err := check.CombinedOutput()
	assert.NoError(t, err)
	assert.Empty(t, string(out))
}

// Whatever stands in a label, each line is a comment or a sample.
func FuzzLabels(f *testing.F) {
	for _, s := range []string{"icon", "a\"b", "a\nb 1\n", `a\`, "\xff", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, platform string) {
		run := &news.Run{Authorities: []news.Authority{{Platform: platform, Outcome: runlog.Outcome{Saved: 7}}}}
		var b bytes.Buffer
		require.NoError(t, metrics.Write(&b, run, nil))
		for line := range strings.Lines(b.String()) {
			assert.Regexp(t, `^(# (HELP|TYPE) multiscraper_|multiscraper_[a-z_]+\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\} [0-9.e+-]+\n$)`, line)
		}
	})
}
