package exhibit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Policy forbids a page whatever needs the network, and all scripts.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"

// head begins each document that Clean returns.
const head = `<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="` + Policy + `">` +
	`<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light"><style>html { background: #fff; color: #000; } a[title] { text-decoration: underline; }</style>`

// Clean returns a page as a whole document that can do nothing, and its title. Only elements and attributes that are known to be harmless
// stay. A link keeps its text, and where it led as its title; a form keeps its fields, and can't be sent. The error says that the page is
// too large to be parsed.
func Clean(page string) (markup, title string, err error) {
	document, err := agent.ParseHTML(page)
	if err != nil {
		return "", "", err
	}
	root := document.Get(0)
	title = strings.Join(strings.Fields(document.Find("title").First().Text()), " ")
	var b strings.Builder
	b.WriteString(head)
	document.Find("style").Each(func(_ int, s *goquery.Selection) { writeStyle(&b, s.Text()) })
	b.WriteString("</head>")
	for _, n := range elements(root, atom.Body) {
		write(&b, n)
	}
	b.WriteString("</html>")
	return b.String(), title, nil
}

// kept is the elements that stay. Of others the content stays, unless they are in dropped.
var kept = atoms(`a abbr acronym address area article aside b bdi bdo big blockquote body br button caption center cite code col colgroup data dd del
	details dfn dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd label
	legend li main map mark menu meter nav ol optgroup option output p pre progress q rp rt ruby s samp section select small span strike
	strong sub summary sup table tbody td textarea tfoot th thead time tr tt u ul var wbr`)

// dropped is the elements that go with all that is in them.
var dropped = atoms(`applet audio base canvas embed frame frameset head iframe link math meta noembed noframes noscript object param script source style svg template
	title track video`)

// keptAttributes are harmless on every element: none of them names anything that is fetched or run.
var keptAttributes = words(`abbr align alt bgcolor border cellpadding cellspacing checked class clear color cols colspan compact dir disabled face
	for headers height hspace id label lang maxlength multiple name noshade nowrap placeholder readonly rowspan rows rules scope selected
	size span start summary title type valign value vspace width wrap open datetime`)

// void is the elements that have no content and no end tag.
var void = atoms(`area br col hr img input wbr`)

func atoms(list string) map[atom.Atom]bool {
	set := map[atom.Atom]bool{}
	for name := range strings.FieldsSeq(list) {
		set[atom.Lookup([]byte(name))] = true
	}
	return set
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		set[name] = true
	}
	return set
}

// elements returns the outermost elements of a kind.
func elements(n *html.Node, kind atom.Atom) []*html.Node {
	if n.Type == html.ElementNode && n.DataAtom == kind {
		return []*html.Node{n}
	}
	var all []*html.Node
	for c := range n.ChildNodes() {
		all = append(all, elements(c, kind)...)
	}
	return all
}

// write writes what of a node is harmless.
func write(b *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		b.WriteString(html.EscapeString(n.Data))
		return
	case n.Type != html.ElementNode || n.Namespace != "" || dropped[n.DataAtom]:
		return
	case !kept[n.DataAtom]: // an element of nobody's: its content tells
		writeChildren(b, n)
		return
	}
	b.WriteString("<" + n.Data)
	for _, a := range attributes(n) {
		b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
	}
	b.WriteString(">")
	if void[n.DataAtom] {
		return
	}
	if n.DataAtom == atom.Pre || n.DataAtom == atom.Textarea {
		b.WriteString("\n") // a parser drops the first line end in them
	}
	writeChildren(b, n)
	b.WriteString("</" + n.Data + ">")
}

func writeChildren(b *strings.Builder, n *html.Node) {
	for c := range n.ChildNodes() {
		write(b, c)
	}
}

// attributes returns those of an element that stay, and where a link or a form leads as its title.
func attributes(n *html.Node) (all []html.Attribute) {
	titled := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "title" })
	for _, a := range n.Attr {
		switch {
		case a.Namespace != "":
		case a.Key == "style" && harmlessStyle(a.Val), keptAttributes[a.Key] && !(a.Key == "type" && strings.EqualFold(strings.TrimSpace(a.Val), "image")):
			all = append(all, html.Attribute{Key: a.Key, Val: a.Val})
		case (a.Key == "href" || a.Key == "action") && !titled:
			all = append(all, html.Attribute{Key: "title", Val: a.Val})
		}
	}
	return all
}

// fetching is what makes a browser fetch something for a style, or may hide that.
var fetching = regexp.MustCompile(`(?i)[\\<]|@import|@namespace|@font-face|url|image|src\s*\(|expression|behavior|binding|element\s*\(|cross-fade|paint\s*\(`)

func harmlessStyle(style string) bool { return !fetching.MatchString(style) }

// writeStyle writes a style sheet as far as it fetches nothing: one rule at a time, up to a closing brace.
func writeStyle(b *strings.Builder, sheet string) {
	var rules strings.Builder
	for rule := range strings.SplitAfterSeq(sheet, "}") {
		if harmlessStyle(rule) {
			rules.WriteString(rule)
		}
	}
	if rules.Len() > 0 {
		b.WriteString("<style>" + rules.String() + "</style>")
	}
}
