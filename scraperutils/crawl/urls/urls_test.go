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

// Each case is two spellings of one URL; the second is the canonical one.
var same = []struct{ why, raw, want string }{
	{"a scheme has no case", "HTTP://example.org/a", "http://example.org/a"},
	{"a host has no case", "http://EXAMPLE.Org/a", "http://example.org/a"},
	{"80 is what http means", "http://example.org:80/a", "http://example.org/a"},
	{"443 is what https means", "https://example.org:443/a", "https://example.org/a"},
	{"a port may have zeros in front", "http://example.org:0080/", "http://example.org/"},
	{"a port may be left empty", "http://example.org:/a", "http://example.org/a"},
	{"a host alone means its front page", "http://example.org", "http://example.org/"},
	{"also with a query", "http://example.org?a=1", "http://example.org/?a=1"},
	{"a fragment is the browser's", "http://example.org/a#top", "http://example.org/a"},
	{"an empty one too", "http://example.org/a#", "http://example.org/a"},
	{"a fragment may hold anything", "http://example.org/a#b?c#d e", "http://example.org/a"},
	{"a fragment may follow the host", "http://example.org#a/b@c", "http://example.org/"},
	{"a dot is this folder", "http://example.org/a/./b", "http://example.org/a/b"},
	{"two dots are the folder above", "http://example.org/a/../b", "http://example.org/b"},
	{"above the root is the root", "http://example.org/../../a", "http://example.org/a"},
	{"a dot at the end is a folder", "http://example.org/a/.", "http://example.org/a/"},
	{"two dots at the end are a folder", "http://example.org/a/b/..", "http://example.org/a/"},
	{"an escaped dot is a dot", "http://example.org/a/%2e%2E/b", "http://example.org/b"},
	{"a half escaped one too", "http://example.org/a/.%2e/b", "http://example.org/b"},
	{"dots go before an empty segment", "http://example.org/a//../b", "http://example.org/a/b"},
	{"letters need no escape", "http://example.org/%70/%41", "http://example.org/p/A"},
	{"nor digits, hyphen, dot, underscore, tilde", "http://example.org/%31%2D%2E%5F%7E", "http://example.org/1-._~"},
	{"also in a query", "http://example.org/?%61=%62", "http://example.org/?a=b"},
	{"hex digits have no case", "http://example.org/%c3%a9", "http://example.org/%C3%A9"},
	{"what is not ASCII is escaped as UTF-8", "http://example.org/é", "http://example.org/%C3%A9"},
	{"also in a query", "http://example.org/?q=é", "http://example.org/?q=%C3%A9"},
	{"a space is escaped", "http://example.org/a b", "http://example.org/a%20b"},
	{"a space before a fragment is part of the path", "http://example.org/a #b", "http://example.org/a%20"},
	{"also where the standard's parser is asked", "http://exämple.org/a #b", "http://xn--exmple-cua.org/a%20"},
	{"a brace may stand in no URI", "http://example.org/{a}", "http://example.org/%7Ba%7D"},
	{"nor a bar", "http://example.org/a|b?c|d", "http://example.org/a%7Cb?c%7Cd"},
	{"nor a caret and a backtick", "http://example.org/^`?^`", "http://example.org/%5E%60?%5E%60"},
	{"nor quotes and angle brackets", "http://example.org/\"<>?\"<>", "http://example.org/%22%3C%3E?%22%3C%3E"},
	{"an apostrophe is escaped in a query, as browsers do", "http://example.org/it's?it's", "http://example.org/it's?it%27s"},
	{"a percent sign that begins no escape is one itself", "http://example.org/100%?q=5%&r=%zz", "http://example.org/100%25?q=5%25&r=%25zz"},
	{"an escape of half an escape is decoded once", "http://example.org/%4%31", "http://example.org/%2541"},
	{"a byte that is no UTF-8 stays the byte", "http://example.org/caf\xe9", "http://example.org/caf%E9"},
	{"also where the standard's parser is asked", "http://exämple.org/caf\xe9", "http://xn--exmple-cua.org/caf%E9"},
	{"a control character is escaped", "http://example.org/a\x01b", "http://example.org/a%01b"},
	{"a backslash is a slash in a path", `http://example.org\a\b`, "http://example.org/a/b"},
	{"but not in a query", `http://example.org/?a\b`, "http://example.org/?a%5Cb"},
	{"slashes after the scheme count as two", "http:///example.org/a", "http://example.org/a"},
	{"also none", "http:example.org/a", "http://example.org/a"},
	{"white space around a URL is no part of it", " \t http://example.org/a \r\n", "http://example.org/a"},
	{"nor is a line break in it", "http://example.org/a\n\tb", "http://example.org/ab"},
	{"an internationalized name has an ASCII form", "http://bücher.example/", "http://xn--bcher-kva.example/"},
	{"in any case", "http://BÜCHER.example/", "http://xn--bcher-kva.example/"},
	{"an escaped one too", "http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"},
	{"an ideographic full stop is a dot", "http://example。org/", "http://example.org/"},
	{"full-width letters are letters", "http://ｅｘａｍｐｌｅ.org/", "http://example.org/"},
	{"an escaped letter of a host is the letter", "http://ex%61mple.org/", "http://example.org/"},
	{"a number is an address", "http://2130706433/", "http://127.0.0.1/"},
	{"so are hexadecimal parts", "http://0x7f.1/", "http://127.0.0.1/"},
	{"an IPv6 address has one form", "http://[0:0:0:0:0:0:0:1]:80/", "http://[::1]/"},
	{"a session of PHP", "http://example.org/a?PHPSESSID=1f&b=2", "http://example.org/a?b=2"},
	{"of PHP in lower case", "http://example.org/a?phpsessid=1f", "http://example.org/a"},
	{"of a forum", "http://example.org/t?t=5&sid=0a1b", "http://example.org/t?t=5"},
	{"of Java in the query", "http://example.org/a?jsessionid=1f", "http://example.org/a"},
	{"of Java in the path", "http://example.org/a.jsp;jsessionid=1f!2?b=2", "http://example.org/a.jsp?b=2"},
	{"of Java in a folder", "http://example.org/a;jsessionid=1f/b", "http://example.org/a/b"},
	{"of Java before another parameter", "http://example.org/a;jsessionid=1f;v=2", "http://example.org/a;v=2"},
	{"of ASP, which makes up the end of the name", "http://example.org/a?ASPSESSIONIDQABBCD=X", "http://example.org/a"},
	{"of ColdFusion, two", "http://example.org/a?CFID=1&b=2&CFTOKEN=3", "http://example.org/a?b=2"},
	{"an escaped name is the name", "http://example.org/a?%73id=1", "http://example.org/a"},
	{"a session without a value", "http://example.org/a?sid", "http://example.org/a"},
	{"a session twice", "http://example.org/a?sid=1&sid=2", "http://example.org/a"},
	{"the order of parameters", "http://example.org/?b=2&a=1", "http://example.org/?a=1&b=2"},
	{"those of one name stay in their order", "http://example.org/?b=2&a=2&b=1&a=1", "http://example.org/?a=2&a=1&b=2&b=1"},
	{"also where they are many", "http://example.org/?b=0" + strings.Repeat("&a=1&a=2", 20), "http://example.org/?a=1&a=2" + strings.Repeat("&a=1&a=2", 19) + "&b=0"},
	{"names are compared, not what follows", "http://example.org/?a-b=1&a=2", "http://example.org/?a=2&a-b=1"},
	{"names are compared when they are decoded", "http://example.org/?%62=1&a=1", "http://example.org/?a=1&b=1"},
	{"a question mark alone asks nothing", "http://example.org/a?", "http://example.org/a"},
	{"nor does an ampersand at the end", "http://example.org/a?b=1&", "http://example.org/a?b=1"},
	{"nor at the beginning", "http://example.org/a?&b=1", "http://example.org/a?b=1"},
	{"nor between", "http://example.org/a?b=1&&c=2", "http://example.org/a?b=1&c=2"},
	{"nor alone", "http://example.org/a?&&", "http://example.org/a"},
	{"all of it", "HTTPS://EXAMPLE.org:443/x/./../%7ea;jsessionid=9?b=2&sid=1&a=%c3%a9&#f", "https://example.org/~a?a=%C3%A9&b=2"},
}

// Each case is two URLs that may be two pages.
var different = []struct{ why, one, other string }{
	{"the scheme decides what is asked", "http://example.org/", "https://example.org/"},
	{"www is another host", "http://example.org/", "http://www.example.org/"},
	{"another port is another server", "http://example.org/", "http://example.org:8080/"},
	{"http on the port of https is neither", "http://example.org:443/", "https://example.org/"},
	{"https on the port of http", "https://example.org:80/", "https://example.org/"},
	{"a dot at the end of a name is sent", "http://example.org/", "http://example.org./"},
	{"a host within another", "http://example.org/", "http://example.org.au/"},
	{"ss is not sharp s", "http://strasse.example/", "http://straße.example/"},
	{"an accent is a letter", "http://bucher.example/", "http://bücher.example/"},
	{"an address is not another", "http://127.0.0.1/", "http://127.0.0.2/"},
	{"a path has case", "http://example.org/A", "http://example.org/a"},
	{"a slash at the end is a folder", "http://example.org/a", "http://example.org/a/"},
	{"an empty segment is one", "http://example.org/a/b", "http://example.org/a//b"},
	{"an index is a page of its own", "http://example.org/", "http://example.org/index.html"},
	{"three dots are a name", "http://example.org/...", "http://example.org/"},
	{"a dot in a name is no dot segment", "http://example.org/a/.b", "http://example.org/a/b"},
	{"dots before a semicolon are no dot segment", "http://example.org/a/..;x/b", "http://example.org/b"},
	{"not even before a session", "http://example.org/a/..;sid=1/b", "http://example.org/b"},
	{"an escaped slash is no separator", "http://example.org/a%2Fb", "http://example.org/a/b"},
	{"an escaped question mark begins no query", "http://example.org/a%3Fb=1", "http://example.org/a?b=1"},
	{"an escaped number sign begins no fragment", "http://example.org/a%23b", "http://example.org/a#b"},
	{"an escaped percent sign begins no escape", "http://example.org/%2541", "http://example.org/A"},
	{"an escaped ampersand separates nothing", "http://example.org/?a=1%26b=2", "http://example.org/?a=1&b=2"},
	{"an escaped equals sign ends no name", "http://example.org/?a%3D1", "http://example.org/?a=1"},
	{"an escaped plus sign is no space", "http://example.org/?a=1%2B2", "http://example.org/?a=1+2"},
	{"a plus sign is a space for forms only", "http://example.org/?a=1+2", "http://example.org/?a=1%202"},
	{"and none in a path", "http://example.org/a+b", "http://example.org/a%20b"},
	{"an escaped semicolon begins no parameter", "http://example.org/a%3Bb", "http://example.org/a;b"},
	{"also one of a session", "http://example.org/a%3Bsid=1", "http://example.org/a"},
	{"a reserved character is not its escape", "http://example.org/a!b", "http://example.org/a%21b"},
	{"nor are brackets", "http://example.org/?a[]=1", "http://example.org/?a%5B%5D=1"},
	{"a backslash in a path is no escaped one", `http://example.org/a\b`, "http://example.org/a%5Cb"},
	{"an accent in one character or two", "http://example.org/\u00e9", "http://example.org/e\u0301"},
	{"a byte of Latin-1 is no UTF-8", "http://example.org/%E9", "http://example.org/%C3%A9"},
	{"two bytes that are no UTF-8", "http://example.org/\xe9", "http://example.org/\xe8"},
	{"also where the standard's parser is asked", "http://exämple.org/\xe9", "http://exämple.org/\xe8"},
	{"a zero byte is one", "http://example.org/a%00", "http://example.org/a"},
	{"a query is a page", "http://example.org/a?b=1", "http://example.org/a"},
	{"a value has case", "http://example.org/?a=B", "http://example.org/?a=b"},
	{"a name has case", "http://example.org/?A=1", "http://example.org/?a=1"},
	{"an empty value is one", "http://example.org/?a=", "http://example.org/?a"},
	{"a name may be empty", "http://example.org/?=", "http://example.org/"},
	{"values of one name have an order", "http://example.org/?a=1&a=2", "http://example.org/?a=2&a=1"},
	{"a value twice", "http://example.org/?a=1&a=1", "http://example.org/?a=1"},
	{"a zero in front", "http://example.org/?id=01", "http://example.org/?id=1"},
	{"resid ends in sid", "http://example.org/?resid=5", "http://example.org/"},
	{"side begins with sid", "http://example.org/?side=5", "http://example.org/"},
	{"another resid is another page", "http://example.org/?resid=5", "http://example.org/?resid=6"},
	{"residue in a path", "http://example.org/a;resid=5", "http://example.org/a"},
	{"the name of a session as a value", "http://example.org/?by=sid", "http://example.org/?by="},
	{"the name of a session as a folder", "http://example.org/sid=5", "http://example.org/"},
	{"CFIDs are none", "http://example.org/?CFIDS=5", "http://example.org/"},
	{"session is no name of one", "http://example.org/?session=am", "http://example.org/?session=pm"},
	{"a sid in brackets", "http://example.org/?sid[]=1", "http://example.org/"},
	{"a parameter of a path is a page", "http://example.org/a;v=1", "http://example.org/a;v=2"},
	{"a semicolon alone is sent", "http://example.org/a;", "http://example.org/a"},
	{"a second question mark is part of the query", "http://example.org/?a?b", "http://example.org/?a"},
	{"a URL in a path", "http://example.org/http://a/", "http://example.org/http:/a/"},
	{"a URL in a query", "http://example.org/?u=http://a/../b", "http://example.org/?u=http://b"},
	{"dots in a query", "http://example.org/?a/../b", "http://example.org/?b"},
}

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
