package conformance

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A departure puts in what is ours, and nothing where Ruby has something else than is listed.
func TestApply(t *testing.T) {
	const out = `{"rows":[{"b":1,"a":2},{"b":3}],"error":null}`
	for name, c := range map[string]struct {
		departure, want, err string
	}{
		"the whole":          {`{"theirs": {"error": null, "rows": [{"a":2,"b":1},{"b":3}]}, "ours": "x"}`, `"x"`, ""},
		"a part":             {`{"at": "rows/1/b", "theirs": 3, "ours": 4}`, `{"error":null,"rows":[{"b":1,"a":2},{"b":4}]}`, ""},
		"a part that is new": {`{"at": "exit", "ours": 2}`, `{"error":null,"exit":2,"rows":[{"b":1,"a":2},{"b":3}]}`, ""},
		"null for a part":    {`{"at": "rows", "theirs": [{"a":2,"b":1},{"b":3}], "ours": null}`, `{"error":null,"rows":null}`, ""},
		"another value":      {`{"at": "rows/1/b", "theirs": 2, "ours": 4}`, "", "it is listed for 2, and the case has 3"},
		"another whole":      {`{"theirs": 1}`, "", "it is listed for 1, and the case has " + out},
		"null is not none":   {`{"at": "error", "ours": 4}`, "", "it is listed for , and the case has null"},
		"no such element":    {`{"at": "rows/2/b", "theirs": 3, "ours": 4}`, "", `there is no 2 in [{"b":1,"a":2},{"b":3}]`},
		"no such list":       {`{"at": "error/0", "theirs": 3, "ours": 4}`, "", "there is no 0 in null"},
	} {
		t.Run(name, func(t *testing.T) {
			var d departure
			require.NoError(t, json.Unmarshal([]byte(c.departure), &d))
			got, err := d.apply(json.RawMessage(out))
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got), "members along the way may be in another order, others not")
		})
	}
}

func TestConcerns(t *testing.T) {
	c := rawCase{In: json.RawMessage(`{"a": 1, "b": null}`)}
	for name, is := range map[string]struct {
		d    departure
		want bool
	}{
		"a member":           {departure{In: json.RawMessage(`{"a": 1}`)}, true},
		"null":               {departure{In: json.RawMessage(`{"b": null}`)}, true},
		"another value":      {departure{In: json.RawMessage(`{"a": 1.0}`)}, false},
		"null is not absent": {departure{In: json.RawMessage(`{"c": null}`)}, false},
		"a member too many":  {departure{In: json.RawMessage(`{"a": 1}`), Without: []string{"b"}}, false},
		"a member that is not there": {
			departure{In: json.RawMessage(`{"a": 1}`), Without: []string{"c"}}, true},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, is.want, is.d.concerns(c)) })
	}
}

// Each expected value is changed in each way, and what is around it stays as it is and where it is.
func TestMutantsOfACase(t *testing.T) {
	var got []string
	for _, m := range mutantsOf(0, 0, json.RawMessage(`{"b": "xy", "a": [1.50, null], "upstream": 1}`)) {
		got = append(got, string(m.out))
	}
	assert.Equal(t, []string{
		`{"b":"~xy","a":[1.50,null],"upstream":1}`,
		`{"b":"x~y","a":[1.50,null],"upstream":1}`,
		`{"b":"xy~","a":[1.50,null],"upstream":1}`,
		`{"a":[1.50,null],"upstream":1}`,
		`{"b":"xy","a":[1.53,null],"upstream":1}`,
		`{"b":"xy","a":[1.50,"mutant"],"upstream":1}`,
		`{"b":"xy","a":[1.50,null,"mutant"],"upstream":1}`,
		`{"b":"xy","a":[1.50],"upstream":1}`,
		`{"b":"xy","a":[1.50,null,null],"upstream":1}`,
		`{"b":"xy","upstream":1}`,
		`{"b":"xy","a":[1.50,null],"upstream":1,"mutant":"mutant"}`,
	}, got)
}
