package validate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/validate"
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
		if _, ok := c.In["symbol_keys"]; ok {
			t.Skip("replaced: the names of a Record's fields are text, there is no other kind")
		}
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
	written := map[string]string{
		"51 or more characters": strings.Repeat("x", 51),
		"longer than 1024":      "https://e.com/" + strings.Repeat("x", 1011),
	}
	conformance.Each(t, "pa_import_rules", "", func(t *testing.T, c struct {
		In  values
		Out string
	}) {
		r := good()
		for name, value := range c.In {
			text, _ := value.(string)
			switch {
			case name == "record":
				continue // "all five fields fine"
			case name == "council_reference" && strings.Contains(text, " when "):
				t.Skip("one record can't show it: two references that differ in case alone; UniqueReferences finds them")
			case name == "authority_label":
				t.Skip("one record can't show it: which label an importer asks for is the importer's setting")
			case name == "date_scraped" && strings.HasPrefix(c.Out, "fetched"):
				t.Log("one record can't show it: the importer stores its own time instead")
			}
			if long := written[text]; long != "" {
				value = long
			}
			r = r.With(name, value)
		}
		err := validate.Record(r, noon)
		if strings.HasPrefix(c.Out, "imported") || strings.HasPrefix(c.Out, "fetched") {
			require.NoError(t, err)
			return
		}
		var bad *scraperutils.UnprocessableRecord
		require.ErrorAs(t, err, &bad)
		if strings.HasPrefix(c.Out, "skipped: can't be blank") {
			assert.Contains(t, bad.Reason, "can't be blank")
		}
	})
}

// stricter are the rules that make a record bad which 0.8.2 saved.
var stricter = []string{
	"can't be blank",                // 0.8.2 looked for empty text and let white space pass
	"is not a valid ISO 8601 date",  // 0.8.2 read dates as Ruby does: 7/5/2025, 23 Aug 2024, 20250507; it let blank optional ones pass
	"is in the future",              // 0.8.2 did not look
	"info_url must be",              // 0.8.2 took any text
	"longer than",                   // importers have limits
	"can't be earlier than on_noti", // importers need the order
}

// What 0.8.2 refused is still refused, in the words of 0.15.0; what it saved is good unless one of the stricter rules says
// otherwise. How a good one is saved is the database's.
func TestSuiteSaveRecordBefore(t *testing.T) {
	conformance.Each(t, "save_record", "0.8.2", func(t *testing.T, c struct {
		In  values
		Out struct {
			Saved bool
			Error string
		}
	}) {
		err := validate.Record(c.In.over(nil), noon)
		if !c.Out.Saved {
			var bad *scraperutils.UnprocessableRecord
			require.ErrorAs(t, err, &bad)
			words := strings.Replace(c.Out.Error, "Missing required field: ", "", 1) // now: FIELD can't be blank
			assert.Contains(t, bad.Reason, words)
			return
		}
		if err == nil {
			return
		}
		for _, problem := range problems(t, c.In.over(nil), noon) {
			assert.Condition(t, func() bool { return containsOne(problem, stricter) }, problem)
		}
		t.Skipf("replaced by the rules of 0.15.0 and of importers: %v", err)
	})
}

func containsOne(text string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// Of two records the bad one is left out and told of in one line.
func TestSuiteSaveRecord(t *testing.T) {
	conformance.Each(t, "save_record", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Mode    string
			Invalid bool `json:"one_invalid"`
		}
		Out struct {
			Collected int
			Error     string
		}
	}) {
		if c.In.Mode != "collect" || !c.In.Invalid {
			t.Skipf("nothing to check here: %+v", c.In)
		}
		collected := 0
		var refused []string
		for _, r := range []scraperutils.Record{good(), good().With("address", "").With("info_url", "x")} {
			if err := validate.Record(r, noon); err != nil {
				refused = append(refused, err.Error())
				continue
			}
			collected++
		}
		assert.Equal(t, c.Out.Collected, collected)
		assert.Equal(t, []string{c.Out.Error}, refused)
	})
}

// The records that real councils gave are good, but for those that a council left blank.
func TestRecordsOfCouncils(t *testing.T) {
	files := councilRecords(t)
	total := 0
	for name, text := range files {
		var records []values
		require.NoError(t, json.Unmarshal(text, &records))
		for _, v := range records {
			total++
			for _, problem := range problems(t, v.over(nil), noon) {
				assert.Contains(t, problem, "can't be blank", "%s: %v", name, v["council_reference"])
			}
		}
	}
	assert.Positive(t, total)
}
