package quality_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/run/quality"
)

// fields is a record with its fields in the order in which they stand in the case.
type fields scraperutils.Record

func (f *fields) UnmarshalJSON(text []byte) error {
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil || values == nil {
		return err
	}
	var names []string
	for name := range values {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return bytes.Index(text, []byte(`"`+a+`":`)) - bytes.Index(text, []byte(`"`+b+`":`))
	})
	for _, name := range names {
		*f = append(*f, scraperutils.Field{Name: name, Value: values[name]})
	}
	return nil
}

type monitorCase struct {
	In struct {
		Env         map[string]string
		Saved       *int
		Event       string
		Record      fields
		ThresholdOf string `json:"threshold_of"`
	}
	Out json.RawMessage
}

func (c monitorCase) limit(t *testing.T) quality.Limit {
	l := quality.DefaultLimit()
	for name, into := range map[string]*float64{
		"MORPH_UNPROCESSABLE_BASE":       &l.Base,
		"MORPH_UNPROCESSABLE_PERCENTAGE": &l.Percentage,
	} {
		if text := c.In.Env[name]; text != "" {
			n, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			*into = n
		}
	}
	return l
}

// counts is the gem's hash of the two counts, which is told in words here.
var counts = regexp.MustCompile(`\{:saved=>(\d+), :unprocessed=>(\d+)\}`)

// testCounts returns the message that it has checked, if the case has one.
func (c monitorCase) testCounts(t *testing.T) (message string) {
	var out struct {
		Threshold float64
		TooMany   int `json:"aborts_on_bad_record_number"`
		Message   string
	}
	conformance.Decode(t, c.Out, &out)
	limit := c.limit(t)
	assert.InDelta(t, out.Threshold, limit.Of(*c.In.Saved), 1e-9)
	n, err := firstTooMany(t, limit, *c.In.Saved)
	assert.Equal(t, out.TooMany, n)
	if out.Message != "" {
		assert.EqualError(t, err, counts.ReplaceAllString(out.Message, "saved $1, unprocessable $2"))
	}
	return out.Message
}

func (c monitorCase) testLine(t *testing.T) {
	var want string
	conformance.Decode(t, c.Out, &want)
	want = strings.ReplaceAll(strings.ReplaceAll(want, `"=>`, `":`), `", "`, `","`) // Ruby's hash is JSON here
	r := scraperutils.Record(c.In.Record)
	if c.In.Event == "saved" {
		assert.Equal(t, want, naming.SavedLine(r)+"\n")
		return
	}
	assert.Equal(t, want, naming.UnprocessableLine(r, errors.New("bad"))+"\n")
}

func TestSuiteMonitor(t *testing.T) {
	conformance.Each(t, "dqm", "0.15.0", func(t *testing.T, c monitorCase) {
		if c.In.Saved == nil {
			c.testLine(t)
			return
		}
		assert.Empty(t, c.testCounts(t), "only the cases of 0.8.2 have the message")
	})
}

func TestSuiteMonitorBefore(t *testing.T) {
	conformance.Each(t, "dqm", "0.8.2", func(t *testing.T, c monitorCase) {
		if c.In.Saved == nil {
			c.testLine(t)
			return
		}
		assert.NotEmpty(t, c.testCounts(t))
	})
}

// Of the scenarios that went wrong with the gem, one is about bad records. Those of the scheduler are tested there.
func TestSuiteRegressions(t *testing.T) {
	conformance.Each(t, "scheduler_regressions", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Version string
			Good    int `json:"good_records"`
		}
		Out struct {
			Upstream json.RawMessage
			Required struct {
				TooMany int `json:"aborts_on_bad_record_number"`
			}
		}
	}) {
		n, _ := firstTooMany(t, quality.DefaultLimit(), c.In.Good)
		assert.Equal(t, c.Out.Required.TooMany, n)
	})
}
