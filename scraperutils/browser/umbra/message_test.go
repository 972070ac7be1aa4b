package umbra

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestARetryKeepsAllThatIsNotKnown(t *testing.T) {
	body, err := again([]byte(`{"url":"http://a.example/?a&b=<>","n":12345678901234567890,"metadata":{"retries":1,"deep":{"z":[1.50]}},"x":null}`), 2)
	require.NoError(t, err)
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &fields))
	assert.Equal(t, "12345678901234567890", string(fields["n"]))
	assert.JSONEq(t, `{"retries":2,"deep":{"z":[1.50]}}`, string(fields["metadata"]))
	assert.JSONEq(t, `"http://a.example/?a&b=<>"`, string(fields["url"]))
	assert.Equal(t, "null", string(fields["x"]))
}

// Whatever comes in, a message that is taken can be sent again and be told of, and one that is not says why in few words.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"url":"http://a.example/","clientId":"c","metadata":{"userAgent":"x","retries":1},"behaviorParameters":{"a":1},"username":"u","password":"p"}`,
		`{"url":null,"metadata":null}`, `[]`, `null`, `{"url":"\ud800"}`, `{"metadata":{"retries":1e3}}`, `{"url":"http://a","metadata":{"retries":9223372036854775807}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := ParseMessage(body)
		if err == nil {
			err = m.check("urls")
		}
		if err != nil {
			require.NotEmpty(t, reasonOf(err))
			require.LessOrEqual(t, len(reasonOf(err)), maxReason+len("…"))
			return
		}
		require.NotEmpty(t, m.URL)
		next, err := again(body, 3)
		require.NoError(t, err)
		n, err := ParseMessage(next)
		require.NoError(t, err)
		require.Equal(t, 3, n.Retries)
		require.Equal(t, []string{m.URL, m.ClientID, m.UserAgent, m.Username, m.Password}, []string{n.URL, n.ClientID, n.UserAgent, n.Username, n.Password})
		out, err := m.Encode(Request{URL: m.URL, Method: "POST", Body: body})
		require.NoError(t, err)
		var r result
		require.NoError(t, json.Unmarshal(out, &r))
		require.JSONEq(t, string(m.Metadata), string(r.Metadata))
	})
}
