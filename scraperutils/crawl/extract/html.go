package extract

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// MaxLinks is how many links of one page count.
const MaxLinks = 50_000

// HTML says which links of a page to take. The zero value takes those that a reader can follow.
type HTML struct {
	NoForms  bool   // leave out the addresses of forms that are sent by GET
	Sources  bool   // also take the src of images, scripts, media, and style sheets
	Nofollow bool   // also take links that the page asks not to follow: rel=nofollow, meta robots, X-Robots-Tag
	Agent    string // the crawler's name in meta elements and X-Robots-Tag; names for all crawlers always count
}

// Found holds the links of a document.
type Found struct {
	Base  string // the URL that links are relative to; "": the document's own
	Links []Link
}

// Links returns the links of a page. It returns none if the page is not HTML by its type and content, or asks not to be followed. The
// error reports a page with more than MaxLinks links, of which the first count.
func (h HTML) Links(header http.Header, body []byte) (Found, error) {
	r := htmlReader{HTML: h, robots: robotsOf(header, h.Agent)}
	if err := r.header(header); err != nil {
		return r.result(err)
	}
	if !IsHTML(header, body) {
		return r.result(nil)
	}
	text, legacy := decoded(header.Get("Content-Type"), body)
	r.legacy = legacy
	r.tokens = html.NewTokenizer(bytes.NewReader(text))
	return r.result(r.read(isXML(header)))
}

// htmlReader reads one page.
type htmlReader struct {
	HTML
	found  Found
	robots robots
	tokens *html.Tokenizer
	legacy encoding.Encoding // of the page, where it is not UTF-8; nil: it is
}

func (r *htmlReader) result(err error) (Found, error) {
	if r.robots.nofollow && !r.Nofollow {
		r.found.Links = nil
	}
	return r.found, err
}

// read goes over all tags. What a page without scripts shows counts too.
func (r *htmlReader) read(xml bool) error {
	for {
		switch r.tokens.Next() {
		case html.ErrorToken:
			return nil // the end: all is in memory
		case html.SelfClosingTagToken:
			if xml {
				r.tokens.NextIsNotRawText()
			}
		case html.StartTagToken:
		default:
			continue
		}
		name, more := r.tokens.TagName()
		tag := atom.Lookup(name)
		if tag == atom.Noscript || tag == atom.Noframes {
			r.tokens.NextIsNotRawText()
		}
		if !more || !r.leads(tag) {
			continue
		}
		if err := r.element(tag, r.attributes()); err != nil {
			return err
		}
	}
}

// leads reports whether an element may say something of links.
func (r *htmlReader) leads(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.Area, atom.Link, atom.Iframe, atom.Frame, atom.Base, atom.Meta:
		return true
	case atom.Form:
		return !r.NoForms
	case atom.Img, atom.Script, atom.Video, atom.Audio, atom.Source, atom.Track, atom.Embed, atom.Input:
		return r.Sources
	}
	return false
}

// attributes are those of an element that are of interest.
type attributes struct{ href, src, action, rel, method, name, equiv, content string }

func (r *htmlReader) attributes() (a attributes) {
	for more := true; more; {
		var key, value []byte
		key, value, more = r.tokens.TagAttr()
		var into *string
		switch string(key) {
		case "href":
			into = &a.href
		case "src":
			into = &a.src
		case "action":
			into = &a.action
		case "rel":
			into = &a.rel
		case "method":
			into = &a.method
		case "name":
			into = &a.name
		case "http-equiv":
			into = &a.equiv
		case "content":
			into = &a.content
		default:
			continue
		}
		if *into == "" { // of two the first counts
			*into = string(value)
		}
	}
	return a
}

// element takes what an element says.
func (r *htmlReader) element(tag atom.Atom, a attributes) error {
	if hasWord(a.rel, "nofollow") && !r.Nofollow {
		return nil
	}
	switch tag {
	case atom.Base:
		if r.found.Base == "" {
			r.found.Base = strings.TrimSpace(a.href)
		}
	case atom.Meta:
		return r.meta(a)
	case atom.A, atom.Area:
		return r.add(a.href)
	case atom.Link:
		if leadingRel(a.rel) || r.Sources && hasWord(a.rel, "stylesheet") {
			return r.add(a.href)
		}
	case atom.Form:
		if a.method == "" || strings.EqualFold(strings.TrimSpace(a.method), "get") {
			return r.add(a.action)
		}
	default:
		return r.add(a.src)
	}
	return nil
}

// meta takes what a meta element asks of robots, and where it sends the reader.
func (r *htmlReader) meta(a attributes) error {
	switch {
	case strings.EqualFold(a.name, "robots") || r.Agent != "" && strings.EqualFold(a.name, r.Agent):
		r.robots.ask(a.content)
	case strings.EqualFold(a.equiv, "refresh"):
		_, rest, _ := strings.Cut(strings.ReplaceAll(a.content, ",", ";"), ";")
		if key, link, ok := strings.Cut(rest, "="); ok && strings.EqualFold(strings.TrimSpace(key), "url") {
			return r.add(strings.Trim(strings.TrimSpace(link), `"'`))
		}
	}
	return nil
}

// add takes a link, unless it leads nowhere.
func (r *htmlReader) add(link string) error {
	link = strings.TrimSpace(link)
	if link == "" || link[0] == '#' {
		return nil
	}
	if len(r.found.Links) == MaxLinks {
		return &BoundError{"links", MaxLinks}
	}
	if r.legacy != nil {
		link = queryIn(r.legacy, link)
	}
	r.found.Links = append(r.found.Links, Link{URL: link, Priority: -1})
	return nil
}

// leadingRel reports whether a link element leads to a page: the next one, another form of this one, the one that counts.
func leadingRel(rel string) bool {
	return (hasWord(rel, "next") || hasWord(rel, "canonical") || hasWord(rel, "alternate")) && !hasWord(rel, "stylesheet")
}

// hasWord reports whether one of the words of a list is this one, in any case.
func hasWord(list, word string) bool {
	if len(list) < len(word) {
		return false
	}
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// decoded returns a page as UTF-8, and its encoding where that is another one.
func decoded(contentType string, body []byte) ([]byte, encoding.Encoding) {
	e, name, certain := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" || !certain && utf8.Valid(body) {
		return bytes.TrimPrefix(body, []byte("\ufeff")), nil
	}
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return body, nil
	}
	if strings.HasPrefix(name, "utf-16") {
		return text, nil // whose queries are UTF-8
	}
	return text, e
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// queryIn escapes the query of a link as a browser does on a page of that encoding: each character as the bytes that it has there, or as a
// number where it has none. The rest is UTF-8.
func queryIn(e encoding.Encoding, link string) string {
	before, query, ok := strings.Cut(link, "?")
	if !ok || ascii(query) {
		return link
	}
	query, fragment, _ := strings.Cut(query, "#")
	text, err := encoding.HTMLEscapeUnsupported(e.NewEncoder()).String(query)
	if err != nil {
		return link
	}
	const hex = "0123456789ABCDEF"
	out := []byte(before + "?")
	for i := range len(text) {
		if c := text[i]; c >= 0x80 {
			out = append(out, '%', hex[c>>4], hex[c&15])
		} else {
			out = append(out, c)
		}
	}
	if fragment != "" {
		out = append(out, "#"+fragment...)
	}
	return string(out)
}
