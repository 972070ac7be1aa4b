package warc

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// origin marks a header that the server sent and that does not fit what is kept.
const origin = "X-Archive-Orig-"

// lines are the lines of a header as they are put together. What comes from outside can't end one.
type lines []byte

// field adds a line.
func (l *lines) field(name, value string) {
	*l = append(append(*l, name...), ": "...)
	l.text(value)
	l.end()
}

// text adds to a line: control characters become spaces.
func (l *lines) text(s string) {
	from := len(*l)
	*l = append(*l, s...)
	for i, c := range (*l)[from:] {
		if c < ' ' && c != '\t' || c == 0x7f {
			(*l)[from+i] = ' '
		}
	}
}

// end ends a line, or after that the header.
func (l *lines) end() { *l = append(*l, "\r\n"...) }

// answer adds the status line and the headers of an answer, as they fit its decoded body.
func (l *lines) answer(p *crawl.Page) {
	l.text("HTTP/1.1 " + strconv.Itoa(p.Status) + " " + http.StatusText(p.Status))
	l.end()
	length := strconv.Itoa(len(p.Body))
	said := false
	for _, name := range names(p.Header) {
		for _, value := range p.Header[name] {
			as := token(name)
			switch http.CanonicalHeaderKey(as) {
			case "Content-Encoding", "Transfer-Encoding":
				as = origin + as
			case "Content-Length":
				switch {
				case p.Unchanged: // of a body that is not here
				case said || value != length:
					as = origin + as
				default:
					said = true
				}
			}
			l.field(as, value)
		}
	}
	if !said && !p.Unchanged {
		l.field("Content-Length", length)
	}
	l.end()
}

// request adds the request that an answer came of, as far as is known.
func (l *lines) request(p *crawl.Page) {
	method, target, host := http.MethodGet, "/", p.Host.String()
	var header http.Header
	if p.Request != nil {
		method, header = p.Request.Method, p.Request.Header
	}
	if u, err := url.Parse(p.Final); err == nil && u.Host != "" {
		target, host = u.RequestURI(), u.Host
	}
	l.text(method + " " + target + " HTTP/1.1")
	l.end()
	l.field("Host", host)
	for _, name := range names(header) {
		for _, value := range header[name] {
			l.field(token(name), value)
		}
	}
	l.end()
}

// names returns the names of headers in order.
func names(h http.Header) []string {
	all := make([]string, 0, len(h))
	for name := range h {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// token is a header's name with what no name may have made into an underscore.
func token(name string) string {
	if httpguts.ValidHeaderFieldName(name) {
		return name
	}
	return strings.Map(func(r rune) rune {
		if r < 0x80 && httpguts.IsTokenRune(r) {
			return r
		}
		return '_'
	}, "_"+name)
}
