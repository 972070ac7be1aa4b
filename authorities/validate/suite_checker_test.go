package validate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

type thresholdOut struct {
	Result *int
	Error  conformance.Raised
	Stdout string
}

func TestSuiteThresholds(t *testing.T) {
	conformance.Each(t, "validate_thresholds", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Good, Bad             int
			Repeated              int `json:"same_good_address_repeated"`
			Percentage, Variation float64
		}
		Out json.RawMessage
	}) {
		check, out := checker()
		check.Settings.Geocodable = validate.Threshold{Percentage: c.In.Percentage, Variation: c.In.Variation}
		check.Settings.Description = check.Settings.Geocodable
		if c.In.Repeated > 0 {
			var want conformance.Raised
			conformance.Decode(t, c.Out, &want)
			var records []scraperutils.Record
			for range c.In.Repeated {
				records = append(records, good())
			}
			_, err := check.Addresses(records)
			assertRaised(t, want, err)
			return
		}
		records := numbered(c.In.Good, "")
		for i := range c.In.Bad {
			records = append(records, good().With("address", fmt.Sprint("nowhere ", i)).With("description", fmt.Sprint("x", i)))
		}
		var want struct{ Address, Description *thresholdOut }
		conformance.Decode(t, c.Out, &want)
		for _, is := range []struct {
			want  *thresholdOut
			check func([]scraperutils.Record) (int, error)
		}{{want.Address, check.Addresses}, {want.Description, check.Descriptions}} {
			out.Reset()
			require.NotNil(t, is.want)
			n, err := is.check(records)
			assertRaised(t, is.want.Error, err)
			assert.Equal(t, is.want.Stdout, out.String())
			result := &n // null of none, and of too few
			if err != nil || len(records) == 0 {
				result = nil
			}
			assert.Equal(t, is.want.Result, result)
		}
	})
}

// ended is how a case ended: with a text, nil for null, or in an exception.
type ended struct {
	text   *string
	raised conformance.Raised
}

func (e *ended) UnmarshalJSON(out []byte) error {
	var object struct {
		Class string `json:"error_class"`
		Text  string `json:"error"`
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if out[0] != '{' {
		return d.Decode(&e.text)
	}
	err := d.Decode(&object)
	e.raised = conformance.Raised{Class: object.Class, Text: object.Text}
	return err
}

func TestSuiteUniqueReferences(t *testing.T) {
	conformance.Each(t, "unique_references", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Pairs [][2]any `json:"label_reference_pairs"`
		}
		Out ended
	}) {
		assertRaised(t, c.Out.raised, validate.UniqueReferences(labelled(c.In.Pairs)))
		if c.Out.text != nil {
			assert.Equal(t, "ok", *c.Out.text)
		}
	})
}

func TestSuiteAuthorityLabel(t *testing.T) {
	conformance.Each(t, "authority_label", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Labels  []any
			Options struct{ Prefix, Suffix string }
		}
		Out ended
	}) {
		var pairs [][2]any
		for _, label := range c.In.Labels {
			pairs = append(pairs, [2]any{label, "DA1"})
		}
		got, err := validate.AuthorityLabel(labelled(pairs), c.In.Options.Prefix, c.In.Options.Suffix)
		assertRaised(t, c.Out.raised, err)
		want := "" // no label, which is null for the gem
		if c.Out.text != nil {
			want = *c.Out.text
		}
		assert.Equal(t, want, got)
	})
}

func TestSuiteInfoURLSampling(t *testing.T) {
	conformance.Each(t, "info_url_sampling", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Records               int
			Codes                 map[string]string
			Percentage, Variation *float64
		}
		Out json.RawMessage
	}) {
		if c.In.Percentage == nil {
			var want []int
			conformance.Decode(t, c.Out, &want)
			assert.Equal(t, want, validate.Sampled(c.In.Records))
			return
		}
		var want struct {
			Error    conformance.Raised
			LastLine string `json:"last_line"`
		}
		conformance.Decode(t, c.Out, &want)
		codes := map[string]int{}
		for page, code := range c.In.Codes {
			n, err := strconv.Atoi(code)
			require.NoError(t, err)
			codes[page] = n
		}
		council := register(t, codes)
		check, out := checker()
		check.Settings.InfoURL = validate.Threshold{Percentage: *c.In.Percentage, Variation: *c.In.Variation}
		_, err := check.InfoURLs(t.Context(), numbered(c.In.Records, council.URL))
		assertRaised(t, want.Error, err)
		assert.Equal(t, want.LastLine, lastLine(out.String()))
	})
}

func TestSuiteInfoURLDetails(t *testing.T) {
	conformance.Each(t, "info_url_details", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Name   string
			Record values
			Page   string
			Code   string `json:"page_code"`
		}
		Out json.RawMessage
	}) {
		sample := validate.Sample{Record: c.In.Record.over(nil), Page: validate.Page{Status: 200, Body: c.In.Page}}
		if c.In.Record == nil {
			sample.Record = chipShop()
		}
		check, out := checker()
		if c.In.Code != "" {
			code, err := strconv.Atoi(c.In.Code)
			require.NoError(t, err)
			sample.Page.Status = code
			var want conformance.Raised
			conformance.Decode(t, c.Out, &want)
			assertRaised(t, want, check.Details([]validate.Sample{sample}))
			return
		}
		var want struct {
			Missing int
			Error   conformance.Raised
			Summary string
		}
		conformance.Decode(t, c.Out, &want)
		assertRaised(t, want.Error, check.Details([]validate.Sample{sample}))
		assert.Equal(t, want.Missing, strings.Count(out.String(), "  Missing "))
		assert.Equal(t, want.Summary, lastLine(out.String()))
	})
}

func TestSuiteBotProtection(t *testing.T) {
	conformance.Each(t, "bot_protection", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Code string
			Body *string
		}
		Out struct {
			Detected    bool
			NotExpected string `json:"bot_check_not_expected"`
			Expected    string `json:"bot_check_expected"`
		}
	}) {
		code, err := strconv.Atoi(c.In.Code)
		require.NoError(t, err)
		page := validate.Page{Status: code}
		if c.In.Body != nil {
			page.Body = *c.In.Body
		}
		assert.Equal(t, c.Out.Detected, page.BotProtected())
		for expected, want := range map[bool]string{false: c.Out.NotExpected, true: c.Out.Expected} {
			check, _ := checker()
			check.Fetch = always(page)
			check.Settings.BotCheckExpected = expected
			require.NotEmpty(t, want)
			err := check.OneInfoURL(t.Context(), []scraperutils.Record{good()}, "https://e.gov.au/1")
			assertReason(t, strings.TrimPrefix(want, "ok"), err)
		}
	})
}
