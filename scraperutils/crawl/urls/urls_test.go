package urls_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

func TestTwoSpellingsOfOneURL(t *testing.T) {
	for _, c := range same {
		t.Run(c.why, func(t *testing.T) {
			got, err := urls.Form{}.Parse(c.raw)
			require.NoError(t, err)
			assert.Equal(t, c.want, got.String())
			assert.NotEqual(t, c.want, c.raw, "the case shows nothing")
			again, err := urls.Form{}.Parse(c.want)
			require.NoError(t, err)
			assert.Equal(t, got, again)
		})
	}
}

func TestTwoURLsStayTwo(t *testing.T) {
	for _, c := range different {
		t.Run(c.why, func(t *testing.T) {
			one, err := urls.Form{}.Parse(c.one)
			require.NoError(t, err)
			other, err := urls.Form{}.Parse(c.other)
			require.NoError(t, err)
			assert.NotEqual(t, one, other)
		})
	}
	assert.Greater(t, len(same)+len(different), 120)
}

func TestSettings(t *testing.T) {
	const raw = "http://example.org/a;sid=1?b=2&sid=3&token=4&a=5"
	for _, c := range []struct {
		name string
		form urls.Form
		want string
	}{
		{"the usual form", urls.Form{}, "http://example.org/a?a=5&b=2&token=4"},
		{"order kept", urls.Form{KeepOrder: true}, "http://example.org/a?b=2&token=4&a=5"},
		{"other session IDs", urls.Form{SessionIDs: []string{"Tok*"}}, "http://example.org/a;sid=1?a=5&b=2&sid=3"},
		{"no session IDs", urls.Form{SessionIDs: []string{}}, "http://example.org/a;sid=1?a=5&b=2&sid=3&token=4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.form.Parse(raw)
			require.NoError(t, err)
			assert.Equal(t, c.want, got.String())
		})
	}
}

func TestLinks(t *testing.T) {
	for _, c := range []struct{ base, link, want string }{
		{"http://example.org/a/b?c=1", "", "http://example.org/a/b?c=1"},
		{"http://example.org/a/b?c=1", "#top", "http://example.org/a/b?c=1"},
		{"http://example.org/a/b?c=1", "?d=2", "http://example.org/a/b?d=2"},
		{"http://example.org/a/b?c=1", "?", "http://example.org/a/b"},
		{"http://example.org/a/b?c=1", "d", "http://example.org/a/d"},
		{"http://example.org/a/b?c=1", "./d/", "http://example.org/a/d/"},
		{"http://example.org/a/b/", "../../../d", "http://example.org/d"},
		{"http://example.org/a/b", "/d", "http://example.org/d"},
		{"https://example.org/a/b", "//Other.example/d", "https://other.example/d"},
		{"https://example.org:8443/a", "d", "https://example.org:8443/d"},
		{"https://example.org:8443/a", "//other.example:443", "https://other.example/"},
		{"https://example.org/a", "http://example.org/a", "http://example.org/a"},
		{"http://example.org/a/b", "http:d", "http://example.org/a/d"},
		{"http://example.org/a/b", "https:d", "https://d/"},
		{"http://example.org/a/b", `..\d`, "http://example.org/d"},
		{"http://example.org/a/b", " d\n", "http://example.org/a/d"},
		{"http://example.org/a/b", "d:e", ""},
		{"http://example.org/a/b", "./d:e", "http://example.org/a/d:e"},
		{"http://example.org/a/b", "1:2", "http://example.org/a/1:2"},
		{"http://[::1]:8080/a", "b", "http://[::1]:8080/b"},
		{"http://example.org/a", "javascript:void(0)", ""},
		{"http://example.org/a", "mailto:a@example.org", ""},
		{"http://example.org/a", "data:text/html," + strings.Repeat("a", 10000), ""},
		{"http://example.org/a", "//user:secret@example.org/", ""},
		{"http://example.org/a", "//", ""},
	} {
		base, err := urls.Form{}.Parse(c.base)
		require.NoError(t, err)
		got, err := urls.Form{}.Resolve(base, c.link)
		assert.Equal(t, c.want, got.String(), "%s + %.40s: %v", c.base, c.link, err)
		assert.Equal(t, c.want == "", err != nil, "%s + %.40s", c.base, c.link)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		raw    string
		reason urls.Reason
		text   string
	}{
		{"", urls.NotURL, `"": no URL: it does not begin with http:// or https://`},
		{"example.org/a", urls.NotURL, `"example.org/a": no URL: it does not begin with http:// or https://`},
		{"//example.org/a", urls.NotURL, `"//example.org/a": no URL: it does not begin with http:// or https://`},
		{"http://", urls.NoHost, `"http://": no host: a name or an address must follow the scheme`},
		{"http://?a=1", urls.NoHost, `"http://?a=1": no host: a name or an address must follow the scheme`},
		{"http://:80/", urls.NoHost, `"http://:80/": no host: a name or an address must follow the scheme`},
		{"http://a b/", urls.NotURL, `"http://a b/": no URL: its host is no name and no address`},
		{"http://a<b/", urls.NotURL, `"http://a<b/": no URL: its host is no name and no address`},
		{"http://xn--a/", urls.NotURL, `"http://xn--a/": no URL: its host is no name and no address`},
		{"http://caf\xe9.example/", urls.NotURL, `"http://caf\xe9.example/": no URL: its host is no name and no address`},
		{"http://1.2.3.256/", urls.NotURL, `"http://1.2.3.256/": no URL: its host is no name and no address`},
		{"http://[::1/", urls.NotURL, `"http://[::1/": no URL: its host is no name and no address`},
		{"http://a:65536/", urls.NotURL, `"http://a:65536/": no URL: its port is not a number of 0 to 65535`},
		{"http://a:b/", urls.NotURL, `"http://a:b/": no URL: its port is not a number of 0 to 65535`},
		{"ftp://example.org/", urls.OtherScheme, `"ftp://example.org/": other scheme: it must begin with http:// or https://`},
		{"javascript:alert(1)", urls.OtherScheme, `"javascript:alert(1)": other scheme: it must begin with http:// or https://`},
		{"localhost:8080/", urls.OtherScheme, `"localhost:8080/": other scheme: it must begin with http:// or https://`},
		{"http://me:secret@example.org/", urls.UserInfo, `"http://…@example.org/": user information: a user or a password in a URL would be stored and shown`},
		{"http://secret@example.org/", urls.UserInfo, `"http://…@example.org/": user information: a user or a password in a URL would be stored and shown`},
		{"http:me:secret@example.org", urls.UserInfo, `"http:…@example.org": user information: a user or a password in a URL would be stored and shown`},
		{"h\nttp://me:secret@example.org/", urls.UserInfo, `"http://…@example.org/": user information: a user or a password in a URL would be stored and shown`},
		{"http://a/" + strings.Repeat("b", 8000), urls.TooLong, `"http://a/` + strings.Repeat("b", 91) + `…": too long: at most 8000 bytes are taken`},
		{"http://a/" + strings.Repeat("é", 1500), urls.TooLong, `"http://a/` + strings.Repeat("é", 45) + `…": too long: at most 8000 bytes are taken`},
		{"http://a/?sid=" + strings.Repeat("b", 8000), urls.TooLong, `"http://a/?sid=` + strings.Repeat("b", 86) + `…": too long: at most 8000 bytes are taken`},
		{"\x1b[31mred", urls.NotURL, `"[31mred": no URL: it does not begin with http:// or https://`},
	} {
		got, err := urls.Form{}.Parse(c.raw)
		var refused *urls.RefusedError
		require.ErrorAs(t, err, &refused, c.raw)
		assert.Equal(t, c.reason, refused.Reason, c.raw)
		assert.Equal(t, c.text, err.Error())
		assert.Zero(t, got)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestPartsOfAURL(t *testing.T) {
	for _, c := range []struct {
		raw, path, query string
		host             scraperutils.Host
	}{
		{"http://example.org", "/", "", scraperutils.Host{Name: "example.org", Port: "80"}},
		{"https://example.org/a?b=/c?", "/a", "b=/c?", scraperutils.Host{Name: "example.org", Port: "443"}},
		{"http://example.org:8080/?a", "/", "a", scraperutils.Host{Name: "example.org", Port: "8080"}},
		{"http://[::1]/a:b", "/a:b", "", scraperutils.Host{Name: "::1", Port: "80"}},
		{"http://[::1]:8080/", "/", "", scraperutils.Host{Name: "::1", Port: "8080"}},
	} {
		u, err := urls.Form{}.Parse(c.raw)
		require.NoError(t, err)
		assert.Equal(t, c.path, u.Path())
		assert.Equal(t, c.query, u.Query())
		assert.Equal(t, c.host, u.Host())
	}
	assert.Zero(t, urls.URL{}.Path()+urls.URL{}.Query()+urls.URL{}.Host().Name)
}

// TestAgreesWithThePublishedCases runs those of the web platform that the parser's module brings.
func TestAgreesWithThePublishedCases(t *testing.T) {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/nlnwa/whatwg-url").Output()
	if err != nil {
		t.Skip("the parser's module can't be found:", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "testdata", "urltestdata.json"))
	if err != nil {
		t.Skip("the parser's module brings no cases:", err)
	}
	var cases []json.RawMessage
	require.NoError(t, json.Unmarshal(text, &cases))
	taken, refusals := 0, 0
	for _, raw := range cases {
		var c struct {
			Input, Base, Href string
			Failure           bool
		}
		if json.Unmarshal(raw, &c) != nil {
			continue // a comment
		}
		var base urls.URL
		if c.Base != "" {
			if base, err = (urls.Form{}).Parse(c.Base); err != nil {
				continue
			}
		}
		got, err := urls.Form{}.Resolve(base, c.Input)
		want, wantErr := urls.Form{}.Parse(c.Href)
		switch {
		case c.Failure || wantErr != nil:
			assert.Error(t, err, "%q on %q", c.Input, c.Base)
			refusals++
		default:
			assert.NoError(t, err, "%q on %q", c.Input, c.Base)
			assert.Equal(t, want, got, "%q on %q", c.Input, c.Base)
			taken++
		}
	}
	assert.Greater(t, taken, 150)
	assert.Greater(t, refusals, 150)
}

// check holds what must be true of anything that is taken.
func check(t *testing.T, f urls.Form, u urls.URL) {
	t.Helper()
	again, err := f.Parse(u.String())
	require.NoError(t, err, "%q", u)
	require.Equal(t, u, again)
	std, err := url.Parse(u.String())
	require.NoError(t, err)
	require.Equal(t, u.PathQuery(), std.RequestURI(), "what net/http sends is another text")
	require.Equal(t, scraperutils.HostOf(std), u.Host())
	require.NotContains(t, u.String(), "#")
	require.Nil(t, std.User)
	self, err := f.Resolve(u, "")
	require.NoError(t, err)
	require.Equal(t, u, self)
}

func FuzzParse(f *testing.F) {
	for _, c := range same {
		f.Add(c.raw)
	}
	for _, c := range different {
		f.Add(c.one)
		f.Add(c.other)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, form := range []urls.Form{{}, {KeepOrder: true, SessionIDs: []string{"a*"}}} {
			u, err := form.Parse(raw)
			if err != nil {
				var refused *urls.RefusedError
				require.True(t, errors.As(err, &refused))
				require.NotContains(t, err.Error(), "\n")
				continue
			}
			check(t, form, u)
		}
	})
}

func FuzzResolve(f *testing.F) {
	f.Add("http://example.org/a/b?c", "../d;sid=1")
	f.Add("http://[::1]:8080/", "//x:y@z")
	f.Add("https://example.org/a/..;sid=1/", `http:\..\a`)
	f.Fuzz(func(t *testing.T, base, link string) {
		form := urls.Form{}
		b, err := form.Parse(base)
		if err != nil {
			return
		}
		if u, err := form.Resolve(b, link); err == nil {
			check(t, form, u)
		}
	})
}
