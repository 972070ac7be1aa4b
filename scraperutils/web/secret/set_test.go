package secret_test

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/secret"
)

const password = `p/w&"7 é%+'<\x`

func inJSON(s string) string {
	b, _ := json.Marshal(s)
	return strings.Trim(string(b), `"`)
}

// lowerHex is how ASP.NET escapes.
func lowerHex(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteString("%" + strings.ToLower(string("0123456789ABCDEF"[c>>4])+string("0123456789ABCDEF"[c&15])))
	}
	return b.String()
}

func TestEverySpellingIsHidden(t *testing.T) {
	set := secret.New(secret.User(url.UserPassword("me", password))...)
	for name, spelled := range map[string]string{
		"plain":                  password,
		"in a query":             url.QueryEscape(password),
		"in a path":              url.PathEscape(password),
		"lower-case escapes":     lowerHex(password),
		"in a query, twice":      url.QueryEscape(url.QueryEscape(password)),
		"in a query, thrice":     url.QueryEscape(url.QueryEscape(url.QueryEscape(password))),
		"in a page":              html.EscapeString(password),
		"in a page, twice":       html.EscapeString(html.EscapeString(password)),
		"named entities":         `p/w&amp;&quot;7&nbsp;é%+&apos;&lt;\x`,
		"hexadecimal entities":   `p&#x2F;w&#x26;&#x22;7&#x20;&#xe9;&#x25;&#x2b;&#x27;&#x3C;&#x5c;x`,
		"in JSON":                inJSON(password),
		"in JSON, slash escaped": strings.ReplaceAll(inJSON(password), "/", `\/`),
		"in JSON within JSON":    inJSON(inJSON(password)),
		"and its slash escaped":  inJSON(strings.ReplaceAll(inJSON(password), "/", `\/`)),
		"in JSON, as characters": `p\u002Fw\u0026\u0022\u0037\u0020\u00e9\u0025\u002b\u0027\u003C\u005Cx`,
		"base64":                 base64.StdEncoding.EncodeToString([]byte(password)),
		"base64 without padding": base64.RawStdEncoding.EncodeToString([]byte(password)),
		"base64 for URLs":        base64.URLEncoding.EncodeToString([]byte(password)),
		"base64 in a query":      url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(password))),
		"with its user":          base64.StdEncoding.EncodeToString([]byte("me:" + password)),
		"user, plain":            "me:" + password,
	} {
		t.Run(name, func(t *testing.T) {
			got := set.Hide("before ("+spelled+") after "+spelled, "*")
			assert.Equal(t, "before (*) after *", strings.ReplaceAll(strings.ReplaceAll(got, "*==", "*"), "*=", "*"))
		})
	}
}

// Wherever it begins in what is encoded, nothing is left that a secret could be read from.
func TestHiddenWithinBase64(t *testing.T) {
	set := secret.New("hunter2-and-more")
	for before := range 7 {
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			text := encoding.EncodeToString([]byte(strings.Repeat("\xff", before) + "hunter2-and-more" + "\xfe\xfd"))
			got := set.Hide(text, "*")
			assert.Contains(t, got, "*")
			decoded, _ := encoding.DecodeString(strings.ReplaceAll(got, "*", "AAAA"))
			assert.NotContains(t, string(decoded), "unter2", text)
		}
	}
}

func TestHideLeavesTheRest(t *testing.T) {
	for name, c := range map[string]struct {
		secrets    []string
		text, want string
	}{
		"nothing to hide":       {nil, "hunter2", "hunter2"},
		"none in it":            {[]string{"hunter2"}, "hunter", "hunter"},
		"the whole, not a part": {[]string{"hunter", "hunter2"}, "hunter2 hunter", "* *"},
		"one after another":     {[]string{"hunter2"}, "hunter2hunter2x", "**x"},
		"begun twice":           {[]string{"aaab"}, "aaaab", "a*"},
		"no secret at all":      {[]string{""}, "text", "text"},
		"a very short one":      {[]string{"a", "pw", "pwd"}, "a pw pwd banana", "a pw pwd banana"},
		"short, with its user":  {secret.User(url.UserPassword("proxy", "a")), "a banana for proxy:a, proxy%3Aa, cHJveHk6YQ==", "a banana for *, *, *=="},
		"a user without any":    {secret.User(url.User("token123")), "token123 dG9rZW4xMjM6", "* *"},
		"nobody":                {secret.User(nil), "x", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, secret.New(c.secrets...).Hide(c.text, "*"))
		})
	}
}

func FuzzHide(f *testing.F) {
	f.Add("hunter2", "x hunter2 y")
	f.Add("%25%", "%25%25%2525")
	f.Add("a&b+", "a&amp;b%2B")
	f.Fuzz(func(t *testing.T, hidden, text string) {
		got := secret.New(hidden).Hide(text, "")
		if len(hidden) >= secret.ShortestPlain && !strings.Contains(text, hidden) {
			require.LessOrEqual(t, len(got), len(text))
			return
		}
		if len(hidden) < secret.ShortestPlain {
			require.Equal(t, text, got)
		}
	})
}

func BenchmarkHide(b *testing.B) {
	page := strings.Repeat(`<tr><td><a href="detail.aspx?id=12&amp;p=3">DA-2019/12</a></td><td>12 Hunter St</td></tr>`, 10_000)
	set := secret.New(secret.User(url.UserPassword("proxy", "hunter2-long"))...)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		set.Hide(page, "*")
	}
}
