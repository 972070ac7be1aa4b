package agent_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestDescribe(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":              {" ", nil},
		"text":                 {"  Not \n here", []string{"text Not here"}},
		"long text":            {strings.Repeat("ä", 2000), []string{"text " + strings.Repeat("ä", 60) + "…"}},
		"title and headings":   {"<title> A\nlibrary </title><h1>Search</h1><h2></h2><h3>Results</h3><h4>no</h4>", []string{"title A library", "headings Search | Results"}},
		"an SVG's title":       {"<title>Shop</title><svg><title>Icon</title></svg>", []string{"title Shop"}},
		"tables":               {"<table id=a class='grid  wide'><tr><th>Name<th>Price<tr><td><table class=in></table></table><table></table>", []string{"tables table#a.grid.wide | table.in | table", "columns Name | Price"}},
		"forms":                {"<form id=f><input name=q><input type=hidden name=h><select name=s></select><input type=submit value=Go></form><form action=/login></form>", []string{"forms f (q, s, button Go) | /login ()"}},
		"a form in a table":    {"<table><form name=f><tr><td><input name=q></form></table>", []string{"tables table", "forms f (q)"}},
		"more than it tells":   {strings.Repeat("<h1>x</h1>", 9), []string{"headings x | x | x | x | x | x | and 3 more"}},
		"a long heading":       {"<h1>" + strings.Repeat("word ", 5000) + "</h1>", []string{"headings " + strings.Repeat("word ", 12) + "…"}},
		"white space for ever": {"<h1>" + strings.Repeat(" ", 50000) + "x</h1>", []string{"headings …"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := served(t, utf8HTML, c.text)
			var got []string
			for _, part := range p.Describe() {
				got = append(got, part.String())
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// Whoever mends a scraper reads first what the page has instead.
func TestLayoutErrorSaysWhatIsThere(t *testing.T) {
	p, _ := served(t, utf8HTML, `<title>Catalog</title><h1>Results</h1><table class=results><tr><th>Name</table><form id=find><input name=words></form>`)
	err := p.Missing("table.grid", "table.results")
	var layout *scraperutils.LayoutError
	require.ErrorAs(t, err, &layout)
	assert.EqualError(t, err, "no table.grid in "+p.URL.String()+" (found: table.results); "+
		"the page has title Catalog; headings Results; tables table.results; columns Name; forms find (words)")
}

func TestFill(t *testing.T) {
	const html = `<form id=f><input name=q value=old disabled><select name=s><option value=1>One <option>Two</select>
		<input type=radio name=r value=a checked><input type=radio name=r value=b><input type=checkbox name=c value=x><textarea name=t></textarea>
		<input type=hidden name=h value=1><input type=submit name=go value=Search></form>`
	for name, c := range map[string]struct {
		field, value string
		want         string // or the error, which begins with "no"
	}{
		"a text":                      {"q", "new", "q=new&s=1&r=a&t=&h=1&go=Search"},
		"a text area":                 {"t", "new", "s=1&r=a&t=new&h=1&go=Search"},
		"a hidden field":              {"h", "2", "s=1&r=a&t=&h=2&go=Search"},
		"an option by its value":      {"s", "1", "s=1&r=a&t=&h=1&go=Search"},
		"an option by its text":       {"s", "Two", "s=Two&r=a&t=&h=1&go=Search"},
		"an option with a value too":  {"s", "One", "s=1&r=a&t=&h=1&go=Search"},
		"a radio button":              {"r", "b", "s=1&r=b&t=&h=1&go=Search"},
		"a checkbox":                  {"c", "x", "s=1&r=a&c=x&t=&h=1&go=Search"},
		"a field that is not there":   {"query", "new", "no field query in %s (found: q, s, r, r, c, t, button Search); the page has forms f (q, s, r, r, c, t, button Search)"},
		"a button":                    {"go", "new", "no field go in %s"},
		"an option that is not there": {"s", "Three", "no option Three of field s in %s (found: One, Two)"},
		"a choice that is not there":  {"r", "c", "no choice c of field r in %s (found: a, b)"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := served(t, utf8HTML, html)
			form, err := p.Form("form")
			require.NoError(t, err)
			button, err := form.Press("Search")
			require.NoError(t, err)
			err = form.Fill(c.field, c.value)
			if strings.HasPrefix(c.want, "no ") {
				assert.ErrorContains(t, err, strings.ReplaceAll(c.want, "%s", p.URL.String()))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, form.Values(button).Encode())
		})
	}
	p, _ := served(t, utf8HTML, html)
	form, err := p.Form("form")
	require.NoError(t, err)
	_, err = form.Press("Find", "Go")
	assert.ErrorContains(t, err, "no button Find or Go in ")
}
