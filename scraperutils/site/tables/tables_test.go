package tables_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/tables"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

const (
	reference tables.Meaning = "reference"
	address   tables.Meaning = "address"
)

func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"Permit No.": "permit no", "  Application\n Number: ": "application number", "Stage/Decision": "stage decision", "Applicant Name(s)": "applicant name s", "É": "é", ":": "",
	} {
		assert.Equal(t, want, tables.Fold(name))
	}
}

func TestColumns(t *testing.T) {
	v := tables.NewVocabulary(map[tables.Meaning][]string{
		reference: {"Permit No.", "Application"},
		address:   {"Address"},
	})
	c := v.Columns([]string{"APPLICATION :", "Ward", "permit  no", ""})
	row := tables.Row{{Text: "A"}, {Text: "B"}, {Text: "C"}, {Text: "D"}}
	assert.Equal(t, "C", c.Text(row, reference), "of two columns with one meaning the one further right counts")
	assert.True(t, c.Has(reference))
	assert.False(t, c.Has(reference, address))
	assert.Equal(t, address, c.Lacks(reference, address))
	assert.Empty(t, c.Text(row, address))
	assert.Equal(t, []string{"APPLICATION :", "Ward", "permit  no"}, c.Names())
	_, ok := c.Of(tables.Row{{Text: "short"}}, reference)
	assert.False(t, ok)
}

func document(t testing.TB, html string) *goquery.Document {
	t.Helper()
	d, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	require.NoError(t, err)
	return d
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		html   string
		header []string
		rows   [][]string
	}{
		"header in the first row":   {`<tr><th>A<th>B<tr><td>1<td>2`, []string{"A", "B"}, [][]string{{"1", "2"}}},
		"header in the thead":       {`<thead><tr><td>A<td>B</thead><tbody><tr><td>1<td>2<tr><td>3<td>4`, []string{"A", "B"}, [][]string{{"1", "2"}, {"3", "4"}}},
		"rows of another length":    {`<tr><th>A<th>B<tr><td colspan=2>pager<tr><td>1<td>2`, []string{"A", "B"}, [][]string{{"1", "2"}}},
		"a table in a cell":         {`<tr><th>A<th>B<tr><td><table><tr><td>x<td>y</table><td>2`, []string{"A", "B"}, [][]string{{"xy", "2"}}},
		"no-break spaces stay":      {"<tr><th>A<tr><td>\n 1&nbsp; \n", []string{"A"}, [][]string{{"1\u00a0"}}},
		"an empty thead":            {`<thead></thead><tr><th>A<tr><td>1`, []string{"A"}, [][]string{{"1"}}},
		"a footer and search boxes": {`<thead><tr><td>Page 1<td>of 2<tr><th>A<th>B<tr><td><input><td><input></thead><tfoot><tr><td>7<td>8</tfoot><tbody><tr><td>1<td>2`, []string{"A", "B"}, [][]string{{"1", "2"}}},
		"nothing":                   {``, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			table := tables.Read(document(t, "<table>"+c.html+"</table>").Find("table").First())
			assert.Equal(t, c.header, table.Header)
			var rows [][]string
			for _, r := range table.Rows {
				rows = append(rows, r.Texts())
			}
			assert.Equal(t, c.rows, rows)
		})
	}
}

func TestReadPairs(t *testing.T) {
	names, values := tables.ReadPairs(document(t, `<table><tr><td colspan=2>Title<tr><td>A<td>1<tr><td>B<td>2</table>`).Find("table"))
	assert.Equal(t, []string{"A", "B"}, names)
	assert.Equal(t, []string{"1", "2"}, values.Texts())
}

func FuzzRead(f *testing.F) {
	f.Add("<table><thead><tr><th>A</thead><tr><td>1</table>")
	f.Add("<table><table><tr><td><tr></table>")
	f.Fuzz(func(t *testing.T, html string) {
		d, err := goquery.NewDocumentFromReader(strings.NewReader(html))
		if err != nil {
			return
		}
		d.Find("table").Each(func(_ int, s *goquery.Selection) {
			table := tables.Read(s)
			for _, row := range table.Rows {
				if len(row) != len(table.Header) {
					t.Fatal("a row that does not fit its header")
				}
			}
			names, values := tables.ReadPairs(s)
			if len(names) != len(values) {
				t.Fatal("a name without a value")
			}
			_ = table.String()
		})
	})
}

var goods = tables.NewVocabulary(map[tables.Meaning][]string{
	"product": {"Product", "Item"},
	"price":   {"Price", "Retail price"},
})

func page(t testing.TB, html string) *agent.Page {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, html) }))
	t.Cleanup(server.Close)
	p, err := agent.New(agent.Config{}).Get(t.Context(), server.URL)
	require.NoError(t, err)
	return p
}

func TestFind(t *testing.T) {
	const menu = `<table><tr><th>Menu<tr><td>Home</table>`
	const prices = `<table id=prices><tr><th>ITEM<th>Sold by<th>Price:<tr><td>Bread<td>Mill<td>4.50<tr><td>Butter<td>Dairy<td>6.10</table>`
	for name, c := range map[string]struct {
		html string
		want []string // of the price column
		err  string
	}{
		"one":                     {prices, []string{"4.50", "6.10"}, ""},
		"beside others":           {menu + prices + menu, []string{"4.50", "6.10"}, ""},
		"inside another":          {"<table><tr><td>" + prices + "</table>", []string{"4.50", "6.10"}, ""},
		"without rows":            {`<table><tr><th>Item<th>Price</table>`, nil, ""},
		"a column has a new name": {menu + `<table><tr><th>Item<th>Cost<tr><td>Bread<td>4.50</table>`, nil, "no column price in %s (found: Item, Cost); the page has tables table | table; columns Menu | Item | Cost"},
		"no such table":           {menu, nil, "no column product in %s (found: Menu)"},
		"no table":                {"<h1>Prices</h1>", nil, "no table with product, price in %s; the page has headings Prices"},
	} {
		t.Run(name, func(t *testing.T) {
			p := page(t, c.html)
			found, err := tables.Find(p, goods, "product", "price")
			if c.err != "" {
				var layout *scraperutils.LayoutError
				require.ErrorAs(t, err, &layout)
				assert.ErrorContains(t, err, strings.ReplaceAll(c.err, "%s", p.URL.String()))
				return
			}
			require.NoError(t, err)
			var got []string
			for _, row := range found.Rows {
				got = append(got, found.Text(row, "price"))
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestALongName(t *testing.T) {
	v := tables.NewVocabulary(map[tables.Meaning][]string{reference: {"é"}})
	assert.Equal(t, reference, v.Meaning(" É "))
	assert.Empty(t, v.Meaning(strings.Repeat(" ", 1<<10)+"é"), "a page inside a cell is no name")
}

func TestFindPairs(t *testing.T) {
	p := page(t, `<table><tr><td>x</table><table><tr><th colspan=2>Bread<tr><th>Item:<td>Rye<tr><td>Sold by<td>Mill<tr><td>Price<td>4.50</table>`)
	found, err := tables.FindPairs(p, goods, "product", "price")
	require.NoError(t, err)
	assert.Equal(t, "Rye", found.Text("product"))
	assert.Equal(t, "4.50", found.Text("price"))
	assert.Empty(t, found.Text("seller"))
	cell, ok := found.Of("price")
	assert.True(t, ok)
	assert.Equal(t, "4.50", cell.Selection().Text())
	assert.Equal(t, []string{"Item:", "Sold by", "Price"}, found.Names())

	_, err = tables.FindPairs(p, goods, "product", "seller")
	assert.ErrorContains(t, err, "no name seller in "+p.URL.String()+" (found: Item:, Sold by, Price)")
	_, err = tables.FindPairs(page(t, "<p>"), goods, "product")
	assert.ErrorContains(t, err, "no table with product in ")
}
