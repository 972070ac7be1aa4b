package agent_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// What a page has is counted before it is parsed: each of these would take hundreds of megabytes or many seconds.
func TestFormats(t *testing.T) {
	for name, c := range map[string]struct {
		format agent.Format
		text   string
		want   string // "" is no error
	}{
		"a large list":            {agent.HTML, strings.Repeat("<tr><td>DA/1</td><td>1/2/2019</td><td>Shed</td></tr>", 20_000), ""},
		"cells":                   {agent.HTML, strings.Repeat("<td>", 200_001), "the page, read as HTML, has more than 200000 tags"},
		"attributes":              {agent.HTML, "<p " + strings.Repeat("a ", 400_001), "the page, read as HTML, has more than 400000 words and references"},
		"attributes, by slashes":  {agent.HTML, "<p " + strings.Repeat("a/", 400_001), "words and references"},
		"attributes, by quotes":   {agent.HTML, "<p " + strings.Repeat(`a="b"`, 200_001), "words and references"},
		"attributes in a value":   {agent.HTML, `<p a="<p ` + strings.Repeat("a ", 400_001), "words and references"},
		"references":              {agent.HTML, strings.Repeat("&a", 400_001), "words and references"},
		"spaces are one":          {agent.HTML, strings.Repeat(" \n\t", 400_001), ""},
		"text":                    {agent.HTML, strings.Repeat("x", 10<<20+1), "the page, read as HTML, has more than 10 MiB"},
		"elements":                {agent.XML, strings.Repeat("<a/>", 700_001), "the page, read as XML, has more than 700000 tags"},
		"a large XML":             {agent.XML, strings.Repeat("<a b='1'>text</a>", 300_000), ""},
		"objects":                 {agent.JSON, strings.Repeat("{},", 250_001), "the page, read as JSON, has more than 500000 values"},
		"lists inside each other": {agent.JSON, strings.Repeat("[", 500_001), "values"},
		"words of JSON":           {agent.JSON, strings.Repeat(" a", 1_000_000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.format.CheckText(c.text)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var large *scraperutils.TooLargeError
			require.ErrorAs(t, err, &large)
			assert.Contains(t, err.Error(), c.want)
			assert.Equal(t, scraperutils.ClassOther, scraperutils.ClassOf(err))
		})
	}
}

// A few kilobytes become millions of elements where the parser copies what was not ended.
func TestPagesThatMakeTheParserCopy(t *testing.T) {
	opened := func(tag string) string {
		var b strings.Builder
		for i := range 450 {
			b.WriteString(strings.Replace(tag, "#", strings.Repeat("n", i+1), 1))
		}
		return b.String()
	}
	blocks := strings.Repeat("<p>x", 2000)
	for name, c := range map[string]struct {
		page string
		fine bool
	}{
		"open elements":              {opened("<b #>") + blocks, false},
		"in capitals":                {opened("<FONT color=#>") + blocks, false},
		"ended out of sight":         {opened("<b #>") + "<table><tr><td>" + strings.Repeat("</b>", 450) + "</table>" + blocks, false},
		"ended by another's quotes":  {strings.Repeat(`<b x=">x</b>`, 450) + blocks, false},
		"one with attributes":        {"<b " + opened("a# ")[:4000] + ">" + strings.Repeat("<p>x", 20_000), false},
		"one with a long tag":        {"<b a='" + strings.Repeat("x", 5000) + "'>" + blocks, false},
		"attributes of the body":     {opened("<body #>") + blocks, false},
		"attributes of the page":     {opened("<html #>") + blocks, false},
		"one that is not ended":      {"<b>" + blocks, true},
		"elements that end":          {strings.Repeat(`<p><b>x</b> <font color="red">y</font>`, 9_000), true},
		"links":                      {strings.Repeat("<a href=1><p>x", 9_000), true},
		"elements with longer names": {opened("<blockquote #>")[:500] + strings.Repeat("<p>x", 9_000), true},
		"a page in a page":           {"<html><body>" + blocks + "<html><body>" + blocks, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := agent.ParseHTML(c.page)
			if c.fine {
				require.NoError(t, err)
				return
			}
			var large *scraperutils.TooLargeError
			require.ErrorAs(t, err, &large)
		})
	}
}

// Each element that the parser opens again counts, as the standard lists them ("the list of active formatting elements").
func TestElementsThatAreOpenedAgain(t *testing.T) {
	for _, name := range strings.Fields("b big code em font i nobr s small strike strong tt u") {
		_, copied, err := agent.CountHTML("<" + name + ">x<p>")
		require.NoError(t, err)
		assert.Equal(t, 1, copied, name)
	}
}

// No page becomes more than it was counted for.
func FuzzNothingIsUncounted(f *testing.F) {
	for _, page := range []string{
		"<b 1><b 2><b 3><p>x<p>x<p>x", "<table><tr><td><b 1></b></table><b 2><p>x<p>y", "<svg><title><b 1><b 2></title><p>x<p>y</svg><p>",
		"<svg><style><g x='</style><q y=\"' ><b 1><b 2>\"><p>x<p>x", "<body a><body b c><html d>", "<b x=\"></b>\"><p>x<p>x", "<a><p><a><p>x",
		"<b><a><p></b><i><p>x</a><p>y", "<table>x<b>y<tr>z</table><select><b><option><b>", "<p a=\"b\"c='d'e/f>", "<nobr><p><nobr><p>x", "&amp;&lt<p>",
	} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		parts, copied, err := agent.CountHTML(page)
		if err != nil {
			return
		}
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			return
		}
		made := 0
		for n := range root.Descendants() {
			made += 1 + len(n.Attr)
		}
		if most := 10 + 6*(parts+1)*(1+copied); made > most {
			t.Fatalf("%d elements and attributes of a page that was counted as %d: %q", made, most, page)
		}
	})
}
