package quality_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/quality"
)

// eachCase runs a test for each case of a suite of what a version of the Ruby gem was seen to do, or skips where they are
// not.
func eachCase[Case any](t *testing.T, id, version string, test func(*testing.T, Case)) {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	for !exists(filepath.Join(root, "go.mod")) {
		require.NotEqual(t, root, filepath.Dir(root), "no go.mod above the working directory")
		root = filepath.Dir(root)
	}
	path := filepath.Join(root, "..", "shared", "conformance", "scraperutils.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the gem's results are not here: %v", err)
	}
	var file struct {
		Suites []struct {
			ID      string
			Version string `json:"gem_version"`
			Cases   []json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	for _, s := range file.Suites {
		if s.ID != id || s.Version != version {
			continue
		}
		for i, text := range s.Cases {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				var c Case
				require.NoError(t, json.Unmarshal(text, &c), "%s", text)
				t.Logf("%s", text)
				test(t, c)
			})
		}
		return
	}
	t.Fatalf("no suite %s of %s in %s", id, version, path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

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
			if err != nil {
				t.Skipf("replaced: a setting that can't be read (%q) is a configuration error, not 0", text)
			}
			*into = n
		}
	}
	return l
}

// counts is the gem's hash of the two counts, which is told in words here.
var counts = regexp.MustCompile(`\{:saved=>(\d+), :unprocessed=>(\d+)\}`)

func (c monitorCase) testCounts(t *testing.T) {
	var out struct {
		Threshold float64
		TooMany   int `json:"aborts_on_bad_record_number"`
		Message   string
	}
	require.NoError(t, json.Unmarshal(c.Out, &out))
	limit := c.limit(t)
	assert.InDelta(t, out.Threshold, limit.Of(*c.In.Saved), 1e-9)
	n, err := firstTooMany(t, limit, *c.In.Saved)
	assert.Equal(t, out.TooMany, n)
	if out.Message != "" {
		assert.EqualError(t, err, counts.ReplaceAllString(out.Message, "saved $1, unprocessable $2"))
	}
}

func (c monitorCase) testLine(t *testing.T) {
	var want string
	require.NoError(t, json.Unmarshal(c.Out, &want))
	want = strings.ReplaceAll(strings.ReplaceAll(want, `"=>`, `":`), `", "`, `","`) // Ruby's hash is JSON here
	r := scraperutils.Record(c.In.Record)
	if c.In.Event == "saved" {
		assert.Equal(t, want, quality.SavedLine(r)+"\n")
		return
	}
	assert.Equal(t, want, quality.UnprocessableLine(r, errors.New("bad"))+"\n")
}

func TestSuiteMonitor(t *testing.T) {
	eachCase(t, "dqm", "0.15.0", func(t *testing.T, c monitorCase) {
		if c.In.Saved != nil {
			c.testCounts(t)
			return
		}
		c.testLine(t)
	})
}

func TestSuiteMonitorBefore(t *testing.T) {
	eachCase(t, "dqm", "0.8.2", func(t *testing.T, c monitorCase) {
		switch {
		case c.In.Saved != nil:
			c.testCounts(t)
		case c.In.ThresholdOf != "":
			t.Skip("replaced: an authority has a Monitor of its own, so there is none that was never seen")
		default:
			t.Skip("replaced: the lines are those of 0.15.0, which name the reference of the record")
		}
	})
}
