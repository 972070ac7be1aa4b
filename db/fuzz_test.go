package db_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

// FuzzSavedIsReadBack holds every name and value against the rule: refused for a reason that is known, or read back as
// it was.
func FuzzSavedIsReadBack(f *testing.F) {
	f.Add("address", "1 Main St", []byte{0}, int64(1), 1.5)
	f.Add("it's", "caf\xe9", []byte(nil), int64(-1), math.Inf(1))
	f.Add(`x" , "y`, "a\x00b", []byte{}, int64(math.MinInt64), math.NaN())
	f.Add("", "🏠", []byte("'); DROP TABLE data; --"), int64(0), 0.0)
	f.Add("ID", "", []byte{}, int64(0), math.Copysign(0, -1))
	f.Add("?1 --\n", "x", []byte{}, int64(0), 1e308)
	f.Fuzz(func(t *testing.T, name, text string, data []byte, n int64, x float64) {
		d := open(t, newPath(t), db.Options{})
		l := d.Ledger("data", "id")
		r := rec("id", 1, name, text, "a blob", data, "a number", n, "a float", x)
		refused := name == "" || strings.ContainsAny(name, "'\"\x00") || !utf8.ValidString(name) || !utf8.ValidString(text) ||
			math.IsNaN(x) || math.IsInf(x, 0) || oneOf(strings.ToLower(name), "id", "a blob", "a number", "a float")
		if err := l.Save(r); refused {
			require.Error(t, err)
			return
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, l.Settle(t.Context()))
		var blob any
		if data != nil {
			blob = data
		}
		rows := query(t, d, "SELECT * FROM data")
		require.Len(t, rows, 1)
		assert.Equal(t, rec("id", int64(1), name, text, "a blob", blob, "a number", n, "a float", x), rows[0])
	})
}

func oneOf(s string, all ...string) bool {
	for _, a := range all {
		if s == a {
			return true
		}
	}
	return false
}
