package masterview_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// bare is a list that has nothing but a link, so that all comes from the detail page.
var bare = grid("Show|Address", show+"|") // an address that is empty: it stays so

func fromDetail(t *testing.T, html string) *visit {
	t.Helper()
	return scrape(t, masterview.Options{}, "", pages{"list": grid("Show|Details", show+"|something"), detailPage: html})
}

func TestOldLayout(t *testing.T) {
	const head, land = `<span id=ctl03_lblHead>DA/1</span>`, `<div id=lblLand>1 Main St</div>`
	for name, c := range map[string]struct{ html, want string }{
		"the usual":                            {head + land + `<div id=lblDetails> Description: A shed<br>Submitted: 15/04/2019<br></div>`, "DA/1 | 1 Main St | A shed | 2019-04-15"},
		"another heading, its first word":      {`<span id=ctl00_cphContent_ctl00_lblApplicationHeader>` + "\n" + `DA/1 - House  </span>` + land + `<div id=lblDetail>Description: A shed<br/>Date Lodged: 15 Apr 2019</div>`, "DA/1 | 1 Main St | A shed | 2019-04-15"},
		"#lblProp, its first line":             {head + `<div id=lblProp><a href=x>1 Main St` + "\r" + `KYOGLE</a><br>2 Main St</div><div id=lblDetails>Description : A shed</div>`, "DA/1 | 1 Main St KYOGLE | A shed | "},
		"#lblprop":                             {head + `<div id=lblprop><br>1  Main St<br></div><div id=lblDetails>Description: A shed</div>`, "DA/1 | 1  Main St | A shed | "},
		"#lblProperties":                       {head + `<div id=lblProperties>1 Main St<br>Lot 1<a>2 Main St</a></div><div id=lblDetails>Description: A shed</div>`, "DA/1 | 1 Main St | A shed | "},
		"#lblProperties1":                      {head + `<div id=lblProperties1>1 Main St</div><div id=lblDetails>Description: A shed</div>`, "DA/1 | 1 Main St | A shed | "},
		"a line with the address":              {head + land + `<div id=lblDetails>Description: A shed<br>Address : 5 High St</div>`, "DA/1 | 5 High St | A shed | "},
		"such a line that is empty":            {head + land + `<div id=lblDetails>Description: A shed<br>Address : </div>`, "DA/1 | 1 Main St | A shed | "},
		"the first that is not empty":          {head + land + `<div id=lblDetails>Description: <br>Description: A shed<br>Description: A barn</div>`, "DA/1 | 1 Main St | A shed | "},
		"an activity anywhere":                 {head + land + `<div id=lblDetails>Description: <br>Permit: yes, Activity: A  shed</div>`, "DA/1 | 1 Main St | A shed | "},
		"a description before an activity":     {head + land + `<div id=lblDetails>Description: A shed, Activity: none</div>`, "DA/1 | 1 Main St | A shed, Activity: none | "},
		"another thing's description":          {head + land + `<div id=lblDetails>Determination Description: Approved<br>Assessment Level: Code<br>Description: A shed</div>`, "DA/1 | 1 Main St | A shed | "},
		"single spaces, line breaks kept":      {head + land + "<div id=lblDetails>Description: A   shed\r\nand  more<br>Category: x</div>", "DA/1 | 1 Main St | A shed\nand more | "},
		"another case":                         {head + land + `<div id=lblDetails>DESCRIPTION : A shed<br>DATE LODGED: 15/04/2019</div>`, "DA/1 | 1 Main St | A shed | 2019-04-15"},
		"unknown lines":                        {head + land + `<div id=lblDetails>Reconfiguring a Lot<br>Material Change of Use<br>Zone: 1<br>Description: A shed</div>`, "DA/1 | 1 Main St | A shed | "},
		"a table":                              {land + `<div id=lblDetail><table><tr><td>Application No.<td>DA/1 A<tr><td>Description<td>A  shed<tr><td>Submitted Date<td>15/04/2019<tr><td>Zone<td>1</table></div>`, "DA/1 A | 1 Main St | A  shed | 2019-04-15"},
		"a table with several descriptions":    {head + land + `<div id=lblDetail><table><tr><td>Description<td>A shed<tr><td>DESCRIPTION:<td><tr><td>Description<td>A barn</table></div>`, "DA/1 | 1 Main St | A shed, A barn | "},
		"a table, and the heading comes first": {head + land + `<div id=lblDetail><table><tr><td>Application No.<td>2/2019<tr><td>Description<td>A shed</table></div>`, "DA/1 | 1 Main St | A shed | "},
		"lines in a table":                     {head + land + `<div id=lblDetails><table><tr><td>Description: A shed<br>Submitted: 15/04/2019</table></div>`, "DA/1 | 1 Main St | A shed | 2019-04-15"},
		"rows in a span, as councils do":       {`<table><span id=x>` + head + `<tr><td><div id=lblProp>1 Main St</div></td></tr><tr><td><div id="lblDetails">Description: A shed</div></td></tr></span></table>`, "DA/1 | 1 Main St | A shed | "},
	} {
		t.Run(name, func(t *testing.T) {
			v := fromDetail(t, c.html)
			require.NoError(t, v.err)
			assert.Equal(t, []string{c.want + " | /" + detailPage}, v.lines(), "%v", v.Rejected)
		})
	}
}

func TestOldLayoutWithoutDescription(t *testing.T) {
	for name, html := range map[string]string{
		"no line":    `<div id=lblDetails>Submitted: 15/04/2019</div>`,
		"no details": `<div id=lblProp>2 Main St</div>`,
		"empty":      `<div id=lblDetails>Description: </div>`,
		"no row":     `<div id=lblDetail><table><tr><td>Application No.<td>1</table></div>`,
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{ForceDetail: true}, "", pages{"list": pageOf("DA 1", ""), detailPage: html})
			require.NoError(t, v.err)
			assert.Equal(t, []string{"DA 1: description is blank"}, v.Rejected, "that of the list does not count")
		})
	}
}

func TestNewLayout(t *testing.T) {
	const properties = `<h3 id=properties>Properties</h3><div><table><tr><td>1 Main St, Kyogle 2474 NSW  (Lot: 1 DP: 2)</td><td></td></tr><tr><td>2 Main St (Lot: 2)</table></div>`
	for name, c := range map[string]struct{ html, want string }{
		"the usual":                    {`<h3 id=details>Details</h3><div><table><tr><td>Description: <td>A  shed<tr><td>Submitted Date: <td>` + "\n15/04/2019   " + `<tr><td>Application Type: <td>DA</table></div>` + properties, "1 Main St, Kyogle 2474 NSW | A  shed | 2019-04-15"},
		"an empty description":         {`<h3 id=details></h3><div><table><tr><td>Description: <td> <tr><td>Application Type: <td>DA</table></div>` + properties, "1 Main St, Kyogle 2474 NSW | DA | "},
		"no description":               {`<h3 id=details></h3><div><table><tr><td>Application Type<td>DA</table></div>` + properties, "1 Main St, Kyogle 2474 NSW | DA | "},
		"another case, unknown labels": {`<h3 id=details></h3><div><table><tr><td>Zone:<td>1<tr><td>DESCRIPTION<td>A shed<td>submitted date :<td>15 Apr 2019</table></div>` + properties, "1 Main St, Kyogle 2474 NSW | A shed | 2019-04-15"},
		"a value like a label":         {`<h3 id=details></h3><div><table><tr><td>Description:<td>Submitted Date<td>x<tr><td>Application Type:<td>Description<td>y</table></div>` + properties, "1 Main St, Kyogle 2474 NSW | Submitted Date | "},
		"an address without lot":       {`<h3 id=details></h3><div><table><tr><td>Description:<td>A shed</table></div><h3 id=properties></h3><div><table><tr><td>1 Main St<tr><td>2 Main St (Lot 2)</table></div>`, "1 Main St | A shed | "},
		"a description on two lines":   {"<h3 id=details></h3><div><table><tr><td>Description:<td>A shed\r\nand more &amp; more</table></div>" + properties, "1 Main St, Kyogle 2474 NSW | A shed\nand more & more | "},
		"an address without table":     {`<h3 id=details></h3><div><table><tr><td>Description:<td>A shed</table></div><h3 id=properties></h3><p> 1 Main St (Lot 1) </p>`, "1 Main St | A shed | "},
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{}, "", pages{"list": grid("Show|Number", show+"|DA 1"), detailPage: c.html})
			require.NoError(t, v.err)
			assert.Equal(t, []string{"DA 1 | " + c.want + " | /" + detailPage}, v.lines(), "%v", v.Rejected)
		})
	}
}

// What is wrong with one detail page costs one application; what no page would have is the layout.
func TestDetailPagesThatFail(t *testing.T) {
	two := grid("Show|Number|Submitted|Details", show+"|DA 1|15/04/2019|1 Main St<br>A shed", `<a href="/2">x</a>|DA 2|15/04/2019|2 Main St<br>A barn`)
	good := `<div id=lblDetails>Description: A tower</div>`
	for name, c := range map[string]struct{ html, want string }{
		"not available":      {"<div class='alert'>\nSorry the application is not available.\n Please contact council for further details.</div>", "the council says: Sorry the application is not available. Please contact council for further details."},
		"the server's error": {"<div class=ControlContent>An unexpected error has occured.</div>", "An unexpected error has occured."},
		"an HTTP error":      {"", "fetch it: 500 Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			council := pages{"list": two, "2": good}
			if c.html != "" {
				council[detailPage] = c.html
			}
			v := scrape(t, masterview.Options{ForceDetail: true}, "", council)
			require.NoError(t, v.err)
			assert.Equal(t, []string{"DA 2 | 2 Main St | A tower | 2019-04-15 | /2"}, v.lines())
			require.Len(t, v.Skipped, 1)
			assert.Contains(t, v.Skipped[0], "DA 1: ")
			assert.Contains(t, v.Skipped[0], c.want)
			assert.Empty(t, v.Rejected)
		})
	}
	t.Run("another alert", func(t *testing.T) {
		v := scrape(t, masterview.Options{ForceDetail: true}, "", pages{"list": two, detailPage: "<p class=alert>New opening hours!</p>" + good, "2": good})
		require.NoError(t, v.err)
		assert.Len(t, v.lines(), 2)
	})
	t.Run("neither layout", func(t *testing.T) {
		v := scrape(t, masterview.Options{ForceDetail: true}, "", pages{"list": two, "2": good, detailPage: "<p id=lblWhat>Hello"})
		var layout *scraperutils.LayoutError
		require.ErrorAs(t, v.err, &layout)
		assert.ErrorContains(t, v.err, "detail of DA 1: no #details or #lblDetails in ")
		assert.ErrorContains(t, v.err, "(found: #lblWhat)")
	})
}

// A page that is refused may be one that nobody gets; two in a row are a site that keeps crawlers out.
func TestRefusedDetailPages(t *testing.T) {
	rows := []string{"Show|Number|Submitted|Details"}
	for i := range 4 {
		rows = append(rows, fmt.Sprintf(`<a href="/%d">x</a>|DA %d|15/04/2019|1 Main St<br>A shed`, i, i))
	}
	const good = `<div id=lblDetails>Description: A tower</div>`
	council := pages{"list": grid(rows...), "0": forbidden, "1": good, "2": forbidden, "3": good}
	v := scrape(t, masterview.Options{ForceDetail: true}, "", council)
	require.NoError(t, v.err)
	assert.Len(t, v.lines(), 2)
	require.Len(t, v.Skipped, 2)
	assert.Contains(t, v.Skipped[1], "DA 2: fetch it: blocked by ")

	v = scrape(t, masterview.Options{ForceDetail: true}, "", with(council, pages{"1": forbidden, "2": good}))
	var blocked *agent.BlockedError
	require.ErrorAs(t, v.err, &blocked)
	assert.ErrorContains(t, v.err, "detail of DA 1: fetch it: ")
	assert.Equal(t, []string{"list", "0", "1"}, v.requests, "the rest is not asked for")
}

func TestAnEmptyAddressIsNotLookedFor(t *testing.T) {
	v := scrape(t, masterview.Options{}, "", pages{"list": bare, detailPage: `<p id=ctl03_lblHead>DA/1</p><p id=lblLand>1 Main St</p><p id=lblDetails>Description: A shed</p>`})
	require.NoError(t, v.err)
	assert.Equal(t, []string{"DA/1: address is blank"}, v.Rejected)
}
