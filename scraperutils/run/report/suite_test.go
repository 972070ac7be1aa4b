package report_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// exception is an error as Ruby has it: class, text.
type exception struct {
	class, text string
}

func (e *exception) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&e.class, &e.text, new([]string)})
}

func (e *exception) Error() string { return e.text }

func (e *exception) Class() scraperutils.Class { return scraperutils.Class(e.class) } // stands where ours do

// attempted is what became of authorities.
type attempted struct {
	Authorities []string
	Stats       map[string]struct{ Saved, Unprocessed int }
	Exceptions  map[string]*exception
}

func (a attempted) outcomes(t *testing.T) (all []runlog.Outcome) {
	log := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt).log
	for _, label := range a.Authorities {
		o := runlog.Outcome{Authority: label, Attempt: 1, Saved: a.Stats[label].Saved, Unprocessable: a.Stats[label].Unprocessed}
		if e := a.Exceptions[label]; e != nil {
			o.Err = e
		}
		o, err := log.Ended(runAt, o)
		require.NoError(t, err)
		all = append(all, o)
	}
	return all
}

func TestSuiteReport(t *testing.T) {
	const ok, failed = "Exiting with OK status!\n", "\nSee earlier output for details" // of who prints the report
	conformance.Each(t, "report_on_results", "0.8.2", func(t *testing.T, c struct {
		In struct {
			ExpectBad *string `json:"MORPH_EXPECT_BAD"`
			attempted
		}
		Out struct {
			Stdout string
			Raised conformance.Raised
		}
	}) {
		var expectBad []string
		if c.In.ExpectBad != nil && *c.In.ExpectBad != "" {
			for label := range strings.SplitSeq(*c.In.ExpectBad, ",") {
				expectBad = append(expectBad, strings.TrimSpace(label))
			}
		}
		r := report.New(c.In.outcomes(t), expectBad, report.Councils)
		assert.Equal(t, strings.TrimSuffix(c.Out.Stdout, ok), r.Table()+"\n")
		want := []string{}
		if c.Out.Raised.Class != "" {
			assert.Equal(t, "RuntimeError", c.Out.Raised.Class, "is exit code 1 here")
			want = strings.Split(strings.TrimSuffix(c.Out.Raised.Text, failed), "\n")
		}
		assert.Equal(t, want, append([]string{}, r.Problems()...))
		assert.Equal(t, len(want) == 0, strings.HasSuffix(c.Out.Stdout, ok))
	})
}
