package agent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

func TestReferencesToCharacters(t *testing.T) {
	for name, c := range map[string]struct{ html, text, link string }{
		"with semicolons":            {`Kerb &amp; Gutter&nbsp;&copy;&#38;&#x26;`, "Kerb & Gutter\u00a0©&&", ""},
		"an ampersand alone":         {`Kerb & Gutter &`, "Kerb & Gutter &", ""},
		"words that begin like one":  {`Garage &parking &Not &section`, "Garage &parking &Not &section", ""},
		"a name without a semicolon": {`Bed &amp Breakfast &copy`, "Bed &amp Breakfast &copy", ""},
		"a number without one":       {`Bed &#38 Breakfast`, "Bed & Breakfast", ""},
		"unknown names":              {`A&B;C &`, "A&B;C &", ""},
		"a space without one":        {`Smith&nbsp&nbspJones&nbsp`, "Smith&nbsp&nbspJones&nbsp", ""},
		"in a script":                {`<script>f("?a=1&copy=2" && b &nbsp c)</script><style>&lt</style>&lt`, `f("?a=1&copy=2" && b &nbsp c)&lt&lt`, ""},
		"in a field":                 {`<textarea>a &copy b &amp; c</textarea>`, "a &copy b & c", ""},
		"after a comment":            {`<!-- <script> -->&copy`, "&copy", ""},
		"in a link":                  {`<a href="?a=1&copy=2&amp;lt=3&para">x</a>`, "x", "?a=1&copy=2&lt=3&para"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := served(t, utf8HTML, "<p>"+c.html+"</p>")
			document, err := p.Document()
			require.NoError(t, err)
			assert.Equal(t, c.text, document.Find("p").Text())
			assert.Equal(t, c.link, document.Find("a").AttrOr("href", ""))
		})
	}
}

func TestElementsThatAreWrittenAsEmpty(t *testing.T) {
	for name, c := range map[string]struct{ html, want string }{
		"a block":                   {`<div><div class="clear" /></div><p>x</p>`, `<div><div class="clear"></div></div><p>x</p>`},
		"without a space":           {`<SPAN class='a>b'/>x`, `<span class="a&gt;b"></span>x`},
		"a script":                  {`<script src="a.js"/><p>x</p>`, `<script src="a.js"></script><p>x</p>`},
		"void ones":                 {`a<br/>b<input name="c"/><hr/>d`, `a<br/>b<input name="c"/><hr/>d`},
		"an address without quotes": {`<a href=http://x/>y</a>z`, `<a href="http://x/">y</a>z`},
		"after such an address":     {`<a href=http://x/ />y`, `<a href="http://x/"></a>y`},
		"in a script":               {`<script>"<div/>"</SCRIPT ><i/>x`, `<script>"<div/>"</script><i></i>x`},
		"in a comment":              {`<!-- <b/> --><i/>x`, `<!-- <b/> --><i></i>x`},
		"in a value":                {`<a title="<b/>">x</a>`, `<a title="&lt;b/&gt;">x</a>`},
		"cells":                     {`<table><tbody><tr><td/><td>x</td></tr></tbody></table>`, `<table><tbody><tr><td></td><td>x</td></tr></tbody></table>`},
		"text":                      {`1 < 2 /> 3 <`, `1 &lt; 2 /&gt; 3 &lt;`},
		"cut off":                   {`x<div class="a`, `x`},
		"a comment cut off":         {`x<!-- <b/>`, `x<!-- <b/>-->`},
		"a script cut off":          {`x<script><b/>`, `x<script><b/></script>`},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := served(t, utf8HTML, "<body>"+c.html)
			document, err := p.Document()
			require.NoError(t, err)
			got, err := document.Find("body").Html()
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func FuzzParseHTML(f *testing.F) {
	f.Add(`<div class="a" /><script src=x/></scr</script><!-- --><a b='c/>'>&copy &amp;`)
	f.Fuzz(func(t *testing.T, text string) {
		if document, err := agent.ParseHTML(text); err == nil && document.Length() != 1 {
			t.Fatal("no document")
		}
	})
}
