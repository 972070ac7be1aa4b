package quality_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/quality"
)

// firstTooMany returns which unprocessable record in a row is one too many after so many saved ones, and the error.
func firstTooMany(t *testing.T, limit quality.Limit, saved int) (int, error) {
	t.Helper()
	m := quality.New("a", limit)
	for range saved {
		m.Saved()
	}
	for n := 1; n < 10_000; n++ {
		if err := m.Unprocessable(); err != nil {
			return n, err
		}
	}
	require.Fail(t, "never too many")
	return 0, nil
}

func TestMonitorStopsWhenTooManyAreBad(t *testing.T) {
	usual := quality.DefaultLimit()
	for _, c := range []struct {
		name      string
		limit     quality.Limit
		saved     int
		threshold float64
		tooMany   int
	}{
		{"nothing saved", usual, 0, 5.01, 6},
		{"one saved", usual, 1, 5.11, 6},
		{"nine saved", usual, 9, 5.91, 6},
		{"ten saved", usual, 10, 6.01, 7},
		{"twenty saved", usual, 20, 7.01, 8},
		{"a threshold between two", usual, 95, 14.51, 15},
		{"a hundred saved", usual, 100, 15.01, 16},
		{"a thousand saved", usual, 1000, 105.01, 106},
		{"a whole number is still borne", quality.Limit{Base: 10, Percentage: 20}, 50, 20, 21},
		{"a whole number in the percentage", quality.Limit{Percentage: 55}, 100, 55, 56},
		{"none is borne", quality.Limit{Base: 0, Percentage: 10}, 0, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.InDelta(t, c.threshold, c.limit.Of(c.saved), 1e-9)
			n, err := firstTooMany(t, c.limit, c.saved)
			assert.Equal(t, c.tooMany, n)
			var site *scraperutils.UnprocessableSite
			require.ErrorAs(t, err, &site)
			assert.Equal(t, fmt.Sprintf("Too many unprocessable_records for a: saved %d, unprocessable %d - aborting processing of site!", c.saved, n), site.Error())
			assert.Equal(t, scraperutils.ClassQuality, scraperutils.ClassOf(err))
		})
	}
}

// What is saved in between makes room for more.
func TestMonitorCounts(t *testing.T) {
	m := quality.New("kyogle", quality.Limit{Base: 1, Percentage: 10})
	require.NoError(t, m.Unprocessable())
	for range 10 {
		m.Saved()
	}
	require.NoError(t, m.Unprocessable())
	require.Error(t, m.Unprocessable())
	saved, unprocessable := m.Counts()
	assert.Equal(t, 10, saved)
	assert.Equal(t, 3, unprocessable)
}

func record(pairs ...string) (r scraperutils.Record) {
	for i := 0; i < len(pairs); i += 2 {
		r = append(r, scraperutils.Field{Name: pairs[i], Value: pairs[i+1]})
	}
	return r
}

// naming is that of councils.
var naming = quality.Naming{Label: "authority_label", Title: []string{"council_reference", "address"}}

func TestLines(t *testing.T) {
	bad := errors.New("bad")
	for _, c := range []struct{ name, got, want string }{
		{"saved", naming.SavedLine(record("authority_label", "a", "council_reference", "R1", "address", "2 Y St")), "Saving record for a: R1 - 2 Y St"},
		{"saved, one authority alone", naming.SavedLine(record("council_reference", "R1", "address", "2 Y St")), "Saving record R1 - 2 Y St"},
		{"bad", naming.UnprocessableLine(record("authority_label", "b", "council_reference", "R1", "address", "2 Y St"), bad), "Erroneous record R1 - 2 Y St: bad"},
		{"bad, without a reference", naming.UnprocessableLine(record("authority_label", "b", "address", "2 Y St"), bad), `Erroneous record {"authority_label":"b","address":"2 Y St"}: bad`},
		{"bad, not even a record", naming.UnprocessableLine(nil, bad), "Erroneous record nil: bad"},
		{"bad, with a value that JSON lacks", naming.UnprocessableLine(scraperutils.Record{{Name: "x", Value: math.NaN()}}, bad), "Erroneous record [{Name:x Value:NaN}]: bad"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.got) })
	}
}

func ExampleMonitor() {
	m := quality.New("kyogle", quality.DefaultLimit())
	m.Saved()
	for {
		if err := m.Unprocessable(); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output: Too many unprocessable_records for kyogle: saved 1, unprocessable 6 - aborting processing of site!
}

func ExampleNaming_SavedLine() {
	fmt.Println(naming.SavedLine(scraperutils.Record{
		{Name: "council_reference", Value: "DA 12"},
		{Name: "address", Value: "1 Main St, KYOGLE NSW"},
		{Name: "authority_label", Value: "kyogle"},
	}))
	// Output: Saving record for kyogle: DA 12 - 1 Main St, KYOGLE NSW
}

func ExampleNaming_UnprocessableLine() {
	fmt.Println(naming.UnprocessableLine(scraperutils.Record{
		{Name: "council_reference", Value: "DA 12"},
		{Name: "address", Value: ""},
	}, errors.New("address can't be blank")))
	// Output: Erroneous record DA 12 - : address can't be blank
}

// Anybody may look while a scraper counts, also at one that was left behind.
func TestMonitorIsReadWhileItCounts(t *testing.T) {
	m := quality.New("kyogle", quality.DefaultLimit())
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		for range 1000 {
			m.Saved()
			_ = m.Unprocessable()
		}
	}()
	for range 1000 {
		_, _ = m.Counts()
	}
	<-counted
	saved, unprocessable := m.Counts()
	assert.Equal(t, []int{1000, 1000}, []int{saved, unprocessable})
}
