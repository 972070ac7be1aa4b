package scraperutils_test

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
)

type cents int64

func (c cents) Value() (driver.Value, error) {
	if c < 0 {
		return nil, errors.New("a price below nothing")
	}
	return fmt.Sprintf("%d.%02d", c/100, c%100), nil
}

func TestRecordOf(t *testing.T) {
	day := time.Date(2026, 11, 22, 13, 4, 5, 0, time.UTC)
	five := 5
	type shelf string
	type all struct {
		Text    string          `field:"text"`
		Named   shelf           `field:"named"`
		Empty   string          `field:"empty,omitempty"`
		Full    string          `field:"full,omitempty"`
		Int     int8            `field:"int"`
		Zero    int             `field:"zero,omitempty"`
		Uint    uint64          `field:"uint"`
		Float   float32         `field:"float"`
		Yes     bool            `field:"yes"`
		No      bool            `field:"no"`
		Date    time.Time       `field:"date"`
		Time    time.Time       `field:"time,time"`
		NoDate  time.Time       `field:"no_date"`
		DateP   *time.Time      `field:"date_p"`
		NoDateP *time.Time      `field:"no_date_p"`
		Bytes   []byte          `field:"bytes"`
		NoBytes []byte          `field:"no_bytes"`
		Raw     json.RawMessage `field:"raw,omitempty"`
		Price   cents           `field:"price"`
		NoPrice *cents          `field:"no_price"`
		Free    cents           `field:"free,omitempty"`
		Whole   json.Number     `field:"whole"`
		Part    json.Number     `field:"part"`
		Five    *int            `field:"five,omitempty"`
		None    *int            `field:"none"`
		Left    []string        `field:"-"`
		private int
	}
	got, err := scraperutils.RecordOf(&all{
		Text: "a", Named: "b", Full: "c", Int: -1, Uint: math.MaxInt64, Float: 0.5, Yes: true, Date: day, Time: day, DateP: &day,
		Bytes: []byte("x"), Raw: []byte{}, Price: 450, Whole: "12", Part: "4.50", Five: &five, private: 1,
	})
	require.NoError(t, err)
	assert.Equal(t, scraperutils.Record{
		{Name: "text", Value: "a"}, {Name: "named", Value: "b"}, {Name: "empty"}, {Name: "full", Value: "c"}, {Name: "int", Value: int64(-1)}, {Name: "zero"},
		{Name: "uint", Value: int64(math.MaxInt64)}, {Name: "float", Value: 0.5}, {Name: "yes", Value: int64(1)}, {Name: "no", Value: int64(0)},
		{Name: "date", Value: "2026-11-22"}, {Name: "time", Value: "2026-11-22T13:04:05Z"}, {Name: "no_date"}, {Name: "date_p", Value: "2026-11-22"}, {Name: "no_date_p"},
		{Name: "bytes", Value: []byte("x")}, {Name: "no_bytes"}, {Name: "raw"}, {Name: "price", Value: "4.50"}, {Name: "no_price"}, {Name: "free"},
		{Name: "whole", Value: int64(12)}, {Name: "part", Value: "4.50"}, {Name: "five", Value: int64(5)}, {Name: "none"},
	}, got)
}

func TestRecordOfWhatIsNone(t *testing.T) {
	type Embedded struct {
		A string `field:"a"`
	}
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"nothing":       {nil, "record of <nil>: expected a struct or a pointer to one"},
		"a nil pointer": {(*Embedded)(nil), "expected a struct or a pointer to one"},
		"text":          {"x", "record of string: expected a struct"},
		"no tag":        {struct{ Title string }{}, "field Title: expected a tag with its name, such as `field:\"title\"`, or `field:\"-\"`"},
		"no name": {struct {
			T string `field:",omitempty"`
		}{}, "field T: expected a tag with its name"},
		"an option": {struct {
			T string `field:"t,omitempt"`
		}{}, `field T: its tag has "omitempt": expected omitempty or time`},
		"a name twice": {struct {
			A, B string `field:"x"`
		}{}, "field B: two fields are called x"},
		"a struct inside": {struct {
			In Embedded `field:"in"`
		}{}, "field In: a record is flat: expected text, a number"},
		"a struct behind": {struct {
			In *Embedded `field:"in"`
		}{}, "field In: a record is flat"},
		"an embedded one": {struct{ Embedded }{}, "field Embedded: a record is flat"},
		"a list": {struct {
			L []string `field:"l"`
		}{}, "field L: a record is flat"},
		"a map": {struct {
			M map[string]int `field:"m"`
		}{}, "field M: a record is flat"},
		"a function": {struct {
			F func() `field:"f"`
		}{}, "field F: a record is flat"},
		"an empty list": {struct {
			L []string `field:"l,omitempty"`
		}{}, "field L: a record is flat"},
		"an any": {struct {
			A any `field:"a"`
		}{}, "field A: a record is flat"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scraperutils.RecordOf(c.value)
			assert.ErrorContains(t, err, c.want)
			var bad *scraperutils.UnprocessableRecord
			assert.NotErrorAs(t, err, &bad, "it is the program that is wrong, not the record")
		})
	}
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"too large": {struct {
			N uint64 `field:"n"`
		}{math.MaxUint64}, "field N: n: 18446744073709551615 is more than a column holds"},
		"NaN": {struct {
			F float64 `field:"f"`
		}{math.NaN()}, "f: NaN is no number that a column holds"},
		"its own": {struct {
			P cents `field:"p"`
		}{-1}, "p: a price below nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scraperutils.RecordOf(c.value)
			assert.ErrorContains(t, err, c.want)
			assert.Equal(t, scraperutils.ClassQuality, scraperutils.ClassOf(err))
		})
	}
}

func BenchmarkRecordOf(b *testing.B) {
	type book struct {
		ISBN   string    `field:"isbn"`
		Title  string    `field:"title"`
		Author string    `field:"author,omitempty"`
		Copies int       `field:"copies"`
		Due    time.Time `field:"due"`
	}
	for b.Loop() {
		if _, err := scraperutils.RecordOf(book{"978", "A title", "", 3, time.Unix(1, 0)}); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleRecordOf() {
	type book struct {
		ISBN  string    `field:"isbn"`
		Title string    `field:"title"`
		Shelf string    `field:"shelf,omitempty"`
		Due   time.Time `field:"due"`
	}
	record, err := scraperutils.RecordOf(book{ISBN: "978-3-16-148410-0", Title: "Rye", Due: time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		fmt.Println(err)
		return
	}
	line, err := json.Marshal(record)
	fmt.Println(string(line), err)
	// Output: {"isbn":"978-3-16-148410-0","title":"Rye","shelf":null,"due":"2026-12-01"} <nil>
}
