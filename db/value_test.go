package db_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestValues(t *testing.T) {
	sydney, err := time.LoadLocation("Australia/Sydney")
	require.NoError(t, err)
	london, err := time.LoadLocation("Europe/London")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		value, stored any
		kind          string
	}{
		"nil":                      {nil, nil, "null"},
		"no bytes":                 {[]byte(nil), nil, "null"},
		"text":                     {"café 🏠", "café 🏠", "text"},
		"empty text":               {"", "", "text"},
		"digits stay text":         {"1", "1", "text"},
		"text with a NUL":          {"a\x00b", "a\x00b", "text"},
		"bytes":                    {[]byte{0, 255}, []byte{0, 255}, "blob"},
		"zero bytes":               {[]byte{}, []byte{}, "blob"},
		"int":                      {-7, int64(-7), "integer"},
		"int8":                     {int8(-8), int64(-8), "integer"},
		"int16":                    {int16(-16), int64(-16), "integer"},
		"int32":                    {int32(-32), int64(-32), "integer"},
		"largest int64":            {int64(math.MaxInt64), int64(math.MaxInt64), "integer"},
		"smallest int64":           {int64(math.MinInt64), int64(math.MinInt64), "integer"},
		"uint":                     {uint(7), int64(7), "integer"},
		"uint8":                    {uint8(8), int64(8), "integer"},
		"uint16":                   {uint16(16), int64(16), "integer"},
		"uint32":                   {uint32(math.MaxUint32), int64(math.MaxUint32), "integer"},
		"largest uint64 that fits": {uint64(math.MaxInt64), int64(math.MaxInt64), "integer"},
		"float":                    {1.5, 1.5, "real"},
		"whole float stays real":   {2.0, 2.0, "real"},
		"float32":                  {float32(0.25), 0.25, "real"},
		"time in UTC":              {time.Date(2025, 5, 7, 1, 2, 3, 999, time.UTC), "2025-05-07T01:02:03", "text"},
		"time in Sydney":           {time.Date(2025, 5, 7, 1, 2, 3, 0, sydney), "2025-05-07T01:02:03+10:00", "text"},
		"time in a London winter":  {time.Date(2025, 1, 7, 1, 2, 3, 0, london), "2025-01-07T01:02:03+00:00", "text"},
		"time in year 9999":        {time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), "9999-01-01T00:00:00", "text"},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, newPath(t), db.Options{})
			save(t, d.Ledger("data", "id"), rec("id", 1, "v", c.value))
			assert.Equal(t, []record{rec("v", c.stored, "kind", c.kind)}, query(t, d, "SELECT v, typeof(v) AS kind FROM data"))
		})
	}
}

// What can't be saved is told at once, in one line, and nothing else suffers.
func TestRecordsThatAreRefused(t *testing.T) {
	type money int
	one := 1
	for name, c := range map[string]struct {
		record record
		want   string
	}{
		"true":                {rec("id", 1, "t", true), `field "t" of type bool: can't save true (accepted: nil, integers`},
		"beyond int64":        {rec("id", 1, "v", uint64(math.MaxInt64)+1), `field "v" of type uint64: 9223372036854775808 is beyond 9223372036854775807`},
		"uint beyond int64":   {rec("id", 1, "v", uint(math.MaxUint)), `18446744073709551615 is beyond`},
		"not a number":        {rec("id", 1, "v", math.NaN()), `field "v" of type float64: NaN is not a finite number`},
		"infinity":            {rec("id", 1, "v", float32(math.Inf(-1))), `field "v" of type float32: -Inf is not a finite number`},
		"a list":              {rec("id", 1, "v", []string{"a"}), `field "v" of type []string: can't save [a]`},
		"a pointer":           {rec("id", 1, "v", &one), `field "v" of type *int: can't save`},
		"a type of one's own": {rec("id", 1, "v", money(3)), `field "v" of type db_test.money: can't save 3`},
		"text not UTF-8":      {rec("id", 1, "v", "caf\xe9"), `field "v" of type string: "caf\xe9" is not valid UTF-8`},
		"a far year":          {rec("id", 1, "v", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), `more than four digits`},
		"a year before 0":     {rec("id", 1, "v", time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)), `more than four digits`},
		"no field":            {rec(), `Data has nil value for unique key. Unique keys are ["id"]. Offending data: {}`},
		"key missing":         {rec("a", 1), `Data has nil value for unique key. Unique keys are ["id"]. Offending data: {"a":1}`},
		"key nil":             {rec("id", nil), `Data has nil value for unique key. Unique keys are ["id"]. Offending data: {"id":null}`},
		"key no bytes":        {rec("id", []byte(nil)), `Data has nil value for unique key.`},
		"name with a quote":   {rec("id", 1, "it's", 2), `name "it's" contains a quote or a NUL`},
		"double quote":        {rec("id", 1, `a"b`, 2), `name "a\"b" contains a quote or a NUL`},
		"name with a NUL":     {rec("id", 1, "a\x00", 2), `name "a\x00" contains a quote or a NUL`},
		"name not UTF-8":      {rec("id", 1, "\xe9", 2), `name "\xe9" is not valid UTF-8`},
		"empty name":          {rec("id", 1, "", 2), `a name is empty`},
		"a name twice":        {rec("id", 1, "Name", 2, "name", 3), `names "Name" and "name" are one column`},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, newPath(t), db.Options{})
			l := d.Ledger("data", "id")
			err := l.Save(c.record)
			var refused *scraperutils.UnprocessableRecord
			require.ErrorAs(t, err, &refused)
			assert.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
			assert.Equal(t, scraperutils.ClassQuality, scraperutils.ClassOf(err))
			assert.Equal(t, 0, l.Saved())
			save(t, l, rec("id", 2))
			assert.Equal(t, []record{rec("id", int64(2))}, query(t, d, "SELECT * FROM data"))
		})
	}
}

func TestOffendingDataThatIsNoJSON(t *testing.T) {
	d := open(t, newPath(t), db.Options{})
	err := d.Ledger("data", "id").Save(rec("at", time.Date(2025, 1, 1, 0, 0, 0, 0, time.FixedZone("", 24*60*60))))
	assert.ErrorContains(t, err, "Offending data: [{at 2025-01-01")
}
