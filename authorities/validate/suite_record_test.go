package validate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

// values are the fields of a case; their order does not matter to what is checked.
type values map[string]any

func (v values) over(r scraperutils.Record) scraperutils.Record {
	for name, value := range v {
		r = r.With(name, value)
	}
	return r
}

func TestSuitePAValidation(t *testing.T) {
	conformance.Each(t, "pa_validation", "0.15.0", func(t *testing.T, c struct {
		In  values
		Out []string
	}) {
		r := c.In.over(nil)
		if _, ok := c.In["date_objects"]; ok {
			day := time.Date(2025, 5, 7, 0, 0, 0, 0, time.UTC)
			r = good().With("date_scraped", day).With("date_received", day).With("on_notice_from", day).With("on_notice_to", day)
		}
		assert.Equal(t, c.Out, problems(t, r, noon))
	})
}

// What an importer would not import is not saved.
func TestSuitePAImportRules(t *testing.T) {
	// Longer values are told in words.
	written := map[any]string{
		"51 or more characters": strings.Repeat("x", 51),
		"longer than 1024":      "https://e.com/" + strings.Repeat("x", 1011),
	}
	conformance.Each(t, "pa_import_rules", "5f0362cb9", func(t *testing.T, c struct {
		In  values
		Out string // what is wrong with the record, or "imported"
	}) {
		delete(c.In, "record") // "all five fields fine"
		for name, value := range c.In {
			if long := written[value]; long != "" {
				c.In[name] = long
			}
		}
		got := "imported"
		if all := problems(t, c.In.over(good()), noon); all != nil {
			got = strings.Join(all, "; ")
		}
		assert.Equal(t, c.Out, got)
	})
}

// How a good record is saved is the database's.
func TestSuiteSaveRecordBefore(t *testing.T) {
	conformance.Each(t, "save_record", "0.8.2", func(t *testing.T, c struct {
		In  values
		Out struct {
			Saved bool
			Error string
			Rows  any
			DDL   any
		}
	}) {
		all := problems(t, c.In.over(nil), noon)
		assert.Equal(t, c.Out.Error, strings.Join(all, "; "))
		assert.Equal(t, c.Out.Saved, all == nil)
	})
}

// Of two records the bad one is left out and told of in one line.
func TestSuiteSaveRecord(t *testing.T) {
	conformance.Each(t, "save_record", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Mode    string
			Records int
			Invalid bool `json:"one_invalid"`
		}
		Out struct {
			Collected int
			Error     string
			After     *int // null: nothing waits to be collected
		}
	}) {
		records := numbered(c.In.Records, "https://e.gov.au")
		if c.In.Invalid {
			records[0] = records[0].With("address", "").With("info_url", "x")
		}
		got := c.Out
		got.Collected, got.Error = 0, ""
		for _, r := range records {
			if err := validate.Record(r, noon); err != nil {
				got.Error += err.Error()
				continue
			}
			got.Collected++
		}
		assert.Equal(t, c.Out, got)
	})
}

// The records that real councils gave are good.
func TestRecordsOfCouncils(t *testing.T) {
	for name, text := range councilRecords(t) {
		var records []values
		require.NoError(t, json.Unmarshal(text, &records))
		require.NotEmpty(t, records, name)
		for _, v := range records {
			assert.Empty(t, problems(t, v.over(nil), noon), "%s: %v", name, v["council_reference"])
		}
	}
}
