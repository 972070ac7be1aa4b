package urls

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPlain holds that what is split here is split as the standard's parser does.
func FuzzPlain(f *testing.F) {
	for _, link := range []string{
		"http://example.org/a/../b?c=1", "https://A-b_c.example:8080?a", "http://127.0.0.1:80", "http://1.2.3/", "//x/..;sid=1/", "a/./b/..", "?", "/",
		"é|^`{}", "http://a..b", "http://.a", "http://a.", "http://0x1", "http://a.0x", "http://a-.b", "http://a\u007f/", "..", "%2e%2e/a", "a:b", "1:b", "",
	} {
		f.Add("http://example.org/a/b?c", link)
	}
	f.Fuzz(func(t *testing.T, raw, link string) {
		form := Form{}
		base, err := form.Parse(raw)
		if err != nil {
			return
		}
		text, err := form.trimmed(link)
		if err != nil {
			return
		}
		p, ok := splitLink(base, text)
		if !ok {
			return
		}
		got, err := form.write(text, p)
		require.NoError(t, err)
		p, err = parse(base, text)
		require.NoError(t, err)
		want, err := form.write(text, p)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}
