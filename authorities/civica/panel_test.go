package civica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/civica"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// The list stands where the selector div.bodypanel ~ div finds it.
func FuzzAfterPanel(f *testing.F) {
	for _, page := range []string{
		"<div class=bodypanel></div><div>1</div>",
		"<div class=bodypanel><div class=bodypanel></div><p><div>1</div></div><div>2</div>",
		"<div class=bodypanel><p></div><p><div class='x bodypanel'>1</div><div>2</div>",
		"<div></div><p class=bodypanel></p><div></div>",
		"<div class=bodypanel></div>",
		"<ul><li><div class=bodypanel></div><li><div></div></ul>",
	} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		document, err := agent.ParseHTML(page)
		if err != nil {
			return
		}
		want := document.Find("div.bodypanel ~ div").First()
		got := civica.AfterPanel(document)
		require.Equal(t, want.Length(), got.Length())
		if want.Length() > 0 {
			assert.Same(t, want.Get(0), got.Get(0))
		}
	})
}
